/* Calls that communicate no numbers: communicators, groups, datatypes, topologies, time. They are made once, too,
 * because their results are objects of MPI or depend on the process. */
#ifndef VERSO_MPI_QUERIES_H
#define VERSO_MPI_QUERIES_H

/* ---- Communicators ---- */

ONCE(MPI_Comm_rank, (MPI_Comm comm, int *rank), (comm, rank), OUT(rank));
ONCE(MPI_Comm_size, (MPI_Comm comm, int *size), (comm, size), OUT(size));
ONCE(MPI_Comm_group, (MPI_Comm comm, MPI_Group *made), (comm, made), OUT(made));
ONCE(MPI_Comm_compare, (MPI_Comm a, MPI_Comm b, int *result_), (a, b, result_), OUT(result_));
ONCE(MPI_Comm_test_inter, (MPI_Comm comm, int *flag), (comm, flag), OUT(flag));
ONCE(MPI_Comm_free, (MPI_Comm * comm), (comm), OUT(comm));
ONCE(MPI_Comm_set_name, (MPI_Comm comm, const char *name), (comm, name), (void)call);
ONCE(MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler), (void)call);
ONCE(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made), OUT(made));
ONCE(MPI_Comm_split, (MPI_Comm comm, int color, int rank, MPI_Comm *made), (comm, color, rank, made), OUT(made));
ONCE(MPI_Comm_split_type, (MPI_Comm comm, int type, int rank, MPI_Info info, MPI_Comm *made),
     (comm, type, rank, info, made), OUT(made));
ONCE(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made), OUT(made));
ONCE(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made),
     OUT(made));
ONCE(MPI_Comm_get_attr, (MPI_Comm comm, int which, void *value, int *flag), (comm, which, value, flag), OUT(flag);
     if (*flag) verso_wrote(call, value, sizeof(void *)));
ONCE(MPI_Comm_get_name, (MPI_Comm comm, char *name, int *length), (comm, name, length), OUT(length);
     verso_wrote(call, name, (size_t)*length + 1));

/* ---- Groups ---- */

ONCE(MPI_Group_rank, (MPI_Group group, int *rank), (group, rank), OUT(rank));
ONCE(MPI_Group_size, (MPI_Group group, int *size), (group, size), OUT(size));
ONCE(MPI_Group_free, (MPI_Group * group), (group), OUT(group));
ONCE(MPI_Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group *made), (group, n, ranks, made), OUT(made));
ONCE(MPI_Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group *made), (group, n, ranks, made), OUT(made));
ONCE(MPI_Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group *made), (group, n, ranges, made),
     OUT(made));
ONCE(MPI_Group_union, (MPI_Group a, MPI_Group b, MPI_Group *made), (a, b, made), OUT(made));
ONCE(MPI_Group_intersection, (MPI_Group a, MPI_Group b, MPI_Group *made), (a, b, made), OUT(made));
ONCE(MPI_Group_difference, (MPI_Group a, MPI_Group b, MPI_Group *made), (a, b, made), OUT(made));
ONCE(MPI_Group_compare, (MPI_Group a, MPI_Group b, int *same), (a, b, same), OUT(same));
ONCE(MPI_Group_translate_ranks, (MPI_Group a, int n, const int ranks[], MPI_Group b, int others[]),
     (a, n, ranks, b, others), OUT_MANY(others, n));

/* ---- Topologies ---- */

ONCE(MPI_Dims_create, (int ranks, int n, int dims[]), (ranks, n, dims), OUT_MANY(dims, n));
ONCE(MPI_Cart_create, (MPI_Comm comm, int n, const int dims[], const int periods[], int reorder, MPI_Comm *made),
     (comm, n, dims, periods, reorder, made), OUT(made));
ONCE(MPI_Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *made), (comm, remain, made), OUT(made));
ONCE(MPI_Cartdim_get, (MPI_Comm comm, int *n), (comm, n), OUT(n));
ONCE(MPI_Cart_get, (MPI_Comm comm, int n, int dims[], int periods[], int coords[]), (comm, n, dims, periods, coords),
     OUT_MANY(dims, n);
     OUT_MANY(periods, n); OUT_MANY(coords, n));
ONCE(MPI_Cart_rank, (MPI_Comm comm, const int coords[], int *rank), (comm, coords, rank), OUT(rank));
ONCE(MPI_Cart_coords, (MPI_Comm comm, int rank, int n, int coords[]), (comm, rank, n, coords), OUT_MANY(coords, n));
ONCE(MPI_Cart_shift, (MPI_Comm comm, int direction, int distance, int *source, int *target),
     (comm, direction, distance, source, target), OUT(source);
     OUT(target));
ONCE(MPI_Graph_create, (MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *made),
     (comm, n, index, edges, reorder, made), OUT(made));
ONCE(MPI_Graph_neighbors_count, (MPI_Comm comm, int rank, int *count), (comm, rank, count), OUT(count));
ONCE(MPI_Graph_neighbors, (MPI_Comm comm, int rank, int most, int others[]), (comm, rank, most, others),
     OUT_MANY(others, most));
ONCE(MPI_Graphdims_get, (MPI_Comm comm, int *nodes, int *edges), (comm, nodes, edges), OUT(nodes); OUT(edges));
ONCE(MPI_Dist_graph_create_adjacent,
     (MPI_Comm comm, int ins, const int from[], const int from_weights[], int outs, const int to[],
      const int to_weights[], MPI_Info info, int reorder, MPI_Comm *made),
     (comm, ins, from, from_weights, outs, to, to_weights, info, reorder, made), OUT(made));
ONCE(MPI_Dist_graph_create,
     (MPI_Comm comm, int n, const int nodes[], const int degrees[], const int to[], const int weights[], MPI_Info info,
      int reorder, MPI_Comm *made),
     (comm, n, nodes, degrees, to, weights, info, reorder, made), OUT(made));
ONCE(MPI_Dist_graph_neighbors_count, (MPI_Comm comm, int *ins, int *outs, int *weighted), (comm, ins, outs, weighted),
     OUT(ins);
     OUT(outs); OUT(weighted));
ONCE(MPI_Topo_test, (MPI_Comm comm, int *kind), (comm, kind), OUT(kind));

/* ---- Datatypes ---- */

ONCE(MPI_Type_commit, (MPI_Datatype * type), (type), OUT(type));
ONCE(MPI_Type_free, (MPI_Datatype * type), (type), OUT(type));
ONCE(MPI_Type_size, (MPI_Datatype type, int *size), (type, size), OUT(size));
ONCE(MPI_Type_dup, (MPI_Datatype type, MPI_Datatype *made), (type, made), OUT(made));
ONCE(MPI_Type_contiguous, (int count, MPI_Datatype type, MPI_Datatype *made), (count, type, made), OUT(made));
ONCE(MPI_Type_vector, (int count, int length, int stride, MPI_Datatype type, MPI_Datatype *made),
     (count, length, stride, type, made), OUT(made));
ONCE(MPI_Type_create_hvector, (int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype *made),
     (count, length, stride, type, made), OUT(made));
ONCE(MPI_Type_indexed, (int count, const int lengths[], const int places[], MPI_Datatype type, MPI_Datatype *made),
     (count, lengths, places, type, made), OUT(made));
ONCE(MPI_Type_create_hindexed,
     (int count, const int lengths[], const MPI_Aint places[], MPI_Datatype type, MPI_Datatype *made),
     (count, lengths, places, type, made), OUT(made));
ONCE(MPI_Type_create_indexed_block, (int count, int length, const int places[], MPI_Datatype type, MPI_Datatype *made),
     (count, length, places, type, made), OUT(made));
ONCE(MPI_Type_create_hindexed_block,
     (int count, int length, const MPI_Aint places[], MPI_Datatype type, MPI_Datatype *made),
     (count, length, places, type, made), OUT(made));
ONCE(MPI_Type_create_struct,
     (int count, const int lengths[], const MPI_Aint places[], const MPI_Datatype types[], MPI_Datatype *made),
     (count, lengths, places, types, made), OUT(made));
ONCE(MPI_Type_create_subarray,
     (int n, const int sizes[], const int subsizes[], const int starts[], int order, MPI_Datatype type,
      MPI_Datatype *made),
     (n, sizes, subsizes, starts, order, type, made), OUT(made));
ONCE(MPI_Type_create_resized, (MPI_Datatype type, MPI_Aint low, MPI_Aint extent, MPI_Datatype *made),
     (type, low, extent, made), OUT(made));
ONCE(MPI_Type_get_extent, (MPI_Datatype type, MPI_Aint *low, MPI_Aint *extent), (type, low, extent), OUT(low);
     OUT(extent));
ONCE(MPI_Type_get_true_extent, (MPI_Datatype type, MPI_Aint *low, MPI_Aint *extent), (type, low, extent), OUT(low);
     OUT(extent));
ONCE(MPI_Pack_size, (int count, MPI_Datatype type, MPI_Comm comm, int *size), (count, type, comm, size), OUT(size));
ONCE(MPI_Get_address, (const void *at, MPI_Aint *address), (at, address), OUT(address));
ONCE(MPI_Get_count, (const MPI_Status *status, MPI_Datatype type, int *count), (status, type, count), OUT(count));
ONCE(MPI_Get_elements, (const MPI_Status *status, MPI_Datatype type, int *count), (status, type, count), OUT(count));

/* ---- The rest ---- */

ONCE(MPI_Op_create, (MPI_User_function * function, int commutes, MPI_Op *made), (function, commutes, made), OUT(made));
ONCE(MPI_Op_free, (MPI_Op * op), (op), OUT(op));
ONCE(MPI_Initialized, (int *flag), (flag), OUT(flag));
ONCE(MPI_Finalized, (int *flag), (flag), OUT(flag));
ONCE(MPI_Query_thread, (int *level), (level), OUT(level));
ONCE(MPI_Get_version, (int *version, int *subversion), (version, subversion), OUT(version); OUT(subversion));
ONCE(MPI_Abort, (MPI_Comm comm, int code), (comm, code), (void)call);
ONCE(MPI_Get_processor_name, (char *name, int *length), (name, length), OUT(length);
     verso_wrote(call, name, (size_t)*length + 1));
ONCE(MPI_Error_string, (int code, char *text, int *length), (code, text, length), OUT(length);
     verso_wrote(call, text, (size_t)*length + 1));
ONCE(MPI_Error_class, (int code, int *which), (code, which), OUT(which));

static double record_MPI_Wtime(verso_call *call) {
    (void)call;
    return PMPI_Wtime();
}
static void sweep_MPI_Wtime(verso_call *call) {
    (void)call;
}
VERSO_WORLD_ADJOINT(MPI_Wtime, record_MPI_Wtime, sweep_MPI_Wtime, record_MPI_Wtime);

static double record_MPI_Wtick(verso_call *call) {
    (void)call;
    return PMPI_Wtick();
}
VERSO_WORLD_ADJOINT(MPI_Wtick, record_MPI_Wtick, sweep_MPI_Wtime, record_MPI_Wtick);

#endif
