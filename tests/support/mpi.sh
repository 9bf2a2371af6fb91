# For scripts that test MPI: sets mpis to those that are here (openmpi, mpich), and defines
#   compile MPI OPTION...        compiles and links C with `verso cc` by way of that MPI's mpicc
#   start MPI COUNT PROGRAM...   runs a program on COUNT ranks, for at most LIMIT seconds (120)
mpis=()
for mpi in openmpi mpich; do
    if command -v "mpicc.$mpi" >/dev/null && command -v "mpirun.$mpi" >/dev/null; then
        mpis+=("$mpi")
    fi
done

# As root, on fewer cores than ranks, without a network.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_odls_base_sigkill_timeout=0 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export MPIR_CVAR_POLLS_BEFORE_YIELD=1

compile() {
    local mpi=$1
    shift
    OMPI_CC="$VERSO cc" MPICH_CC="$VERSO cc" "mpicc.$mpi" "$@"
}

start() {
    local mpi=$1 count=$2
    shift 2
    timeout "${LIMIT:-120}" "mpirun.$mpi" -n "$count" "$@"
}
