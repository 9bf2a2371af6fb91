/* Communicators: their members, and a number that all members agree on. */
#ifndef VERSO_MPI_GROUPS_H
#define VERSO_MPI_GROUPS_H

static void open_keys(void) {
    if (w->comm_key != 0)
        return;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &w->comm_key, NULL);
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &w->type_key, NULL);
}

static void know_group(group *new) {
    w->known_groups = grow(w->known_groups, w->known_group_count, &w->known_group_room, sizeof(group *));
    w->known_groups[w->known_group_count++] = new;
}

/* Returns the group that an earlier process of a durable run has used, if it is not known which communicator it is. */
static group *find_unknown(uint64_t id) {
    for (size_t i = 0; i < w->known_group_count; i++)
        if (w->known_groups[i]->id == id && w->known_groups[i]->comm == MPI_COMM_NULL)
            return w->known_groups[i];
    return NULL;
}

static group *new_group(MPI_Comm comm, uint64_t id) {
    group *made = need(verso__alloc(1, sizeof *made));
    MPI_Group ours, all;
    PMPI_Comm_size(comm, &made->size);
    PMPI_Comm_rank(comm, &made->rank);
    made->members = need(verso__alloc((size_t)made->size, sizeof *made->members));
    int *ranks = need(verso__alloc((size_t)made->size, sizeof *ranks));
    for (int i = 0; i < made->size; i++)
        ranks[i] = i;
    PMPI_Comm_group(comm, &ours);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_translate_ranks(ours, made->size, ranks, all, made->members);
    PMPI_Group_free(&ours);
    PMPI_Group_free(&all);
    verso__dealloc(ranks);
    made->id = id;
    for (int i = 0; id == 0 && i < made->size; i++) /* made by a library: the members must do */
        made->id = (made->id ^ (uint64_t)(made->members[i] + 1)) * UINT64_C(1099511628211);
    made->comm = comm;
    group *before = find_unknown(made->id);
    if (before != NULL) {
        before->comm = comm;
        verso__dealloc(made->members);
        verso__dealloc(made);
        made = before;
    } else
        know_group(made);
    open_keys();
    PMPI_Comm_set_attr(comm, w->comm_key, made);
    return made;
}

static group *group_of(MPI_Comm comm) {
    void *found;
    int flag = 0, inter = 0;
    open_keys();
    PMPI_Comm_get_attr(comm, w->comm_key, &found, &flag);
    if (flag)
        return found;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        fail(VERSO_STATUS_INVALID, "communication between two groups (an intercommunicator) has no adjoint; merge the "
                                   "groups with MPI_Intercomm_merge before the function that is differentiated");
    return new_group(comm, comm == MPI_COMM_WORLD ? 1 : comm == MPI_COMM_SELF ? 2 : 0);
}

/* An object of MPI has been made. Its handle may be an address. */
static void made(const void *handle) {
    if (is_durable() && verso__native_stack_is_running())
        fail(VERSO_STATUS_INVALID,
             "it makes an object of MPI in a durable run, which does not outlive the process; make "
             "communicators, groups, datatypes and operations before the function that is "
             "differentiated");
    verso__native_handles_add(handle);
}
/* Handles that are numbers are the same in every process. */
#define MADE(HANDLE) made(sizeof(HANDLE) == sizeof(void *) ? (const void *)(uintptr_t)(HANDLE) : NULL)

/* Numbers a new communicator. All members call it. */
static void name_comm(MPI_Comm comm) {
    int inter = 0, rank;
    if (comm == MPI_COMM_NULL)
        return;
    MADE(comm);
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        return;
    PMPI_Comm_rank(comm, &rank);
    int mine;
    PMPI_Comm_rank(MPI_COMM_WORLD, &mine);
    uint64_t id = (uint64_t)(mine + 1) << 40 | ++w->comms;
    PMPI_Bcast(&id, 1, MPI_UINT64_T, 0, comm);
    new_group(comm, id);
}

#endif
