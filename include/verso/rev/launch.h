/* Bars in CUDA kernels: bars that several threads of a kernel add to, and bars of numbers that a launch passes by
 * value. Part of <verso/rev/generated.h>, for nvcc; only generated code uses it. Errors of CUDA raise REV_FAULT_MEMORY
 * with CUDA's message. Thread safety: all threads of a kernel may call the device functions; a rev_launch_bar is used
 * by the host thread that launches. */
#ifndef VERSO_REV_LAUNCH_H
#define VERSO_REV_LAUNCH_H

#include <verso/rev/fault.h>

#ifdef __CUDA_ARCH__
/* The sum of `value` over a full warp; only its first lane receives it. */
template <typename T> static inline __device__ T rev_sum_of_warp(T value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

/* The index of this thread in its block. */
static inline __device__ unsigned rev_thread_of_block(void) {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* Atomic *bar += value. If all threads of a warp add to the same bar, one of them adds the sum: atomic additions to one
 * address are carried out one after the other. */
template <typename T> static inline __device__ void rev_add_atomically(T *bar, T value) {
    if (__activemask() == 0xffffffffu) {
        unsigned long long mine = (unsigned long long)bar;
        if (__all_sync(0xffffffffu, mine == __shfl_sync(0xffffffffu, mine, 0))) {
            value = rev_sum_of_warp(value);
            if (rev_thread_of_block() % 32 == 0)
                atomicAdd(bar, value);
            return;
        }
    }
    atomicAdd(bar, value);
}
#endif

/* *bar += value, atomically if the bar may be shared by several threads. A thread's local variable is not shared. The
 * asm hides from the compiler what `bar` points to: else it warns about atomics on local memory in a branch never
 * taken. */
template <typename T> static inline __host__ __device__ void rev_add_shared(T *bar, T value) {
#ifdef __CUDA_ARCH__
    if (!__isLocal(bar)) {
        asm("" : "+l"(bar));
        rev_add_atomically(bar, value);
        return;
    }
#endif
    *bar += value;
}

/* Adds the sum of `value` over the block to *bar, with one atomic addition per block. All threads of the block must
 * call it; generated code does so at the end of a kernel. */
template <typename T> static inline __device__ void rev_add_of_block(T *bar, T value) {
#ifdef __CUDA_ARCH__
    __shared__ T sum;
    bool first = rev_thread_of_block() == 0;
    if (first)
        sum = 0;
    __syncthreads();
    rev_add_atomically(&sum, value);
    __syncthreads();
    if (first)
        atomicAdd(bar, sum);
#else
    *bar += value;
#endif
}

/* A copy on the device of a bar on the host, for one launch: `k_adj<<<g, b>>>(x, rev_bar_of_launch(&bar))`. At the end
 * of the statement its destructor waits for the kernel and copies the bar, with what the kernel added, back to the
 * host. */
template <typename T> class rev_launch_bar {
    T *host, *device;

    static void must(cudaError_t error) {
        if (error != cudaSuccess)
            rev_fault_raise(REV_FAULT_MEMORY, cudaGetErrorString(error), (double)error, 0, __FILE__, __LINE__);
    }

  public:
    explicit rev_launch_bar(T *bar) : host(bar), device(nullptr) {
        must(cudaMallocAsync(&device, sizeof *device, 0));
        must(cudaMemcpyAsync(device, host, sizeof *device, cudaMemcpyHostToDevice, 0));
    }
    rev_launch_bar(const rev_launch_bar &) = delete;
    rev_launch_bar &operator=(const rev_launch_bar &) = delete;
    ~rev_launch_bar() {
        must(cudaMemcpy(host, device, sizeof *host, cudaMemcpyDeviceToHost));
        must(cudaFreeAsync(device, 0));
    }
    operator T *() const { return device; }
};

template <typename T> static inline rev_launch_bar<T> rev_bar_of_launch(T *bar) {
    return rev_launch_bar<T>(bar);
}

#endif
