/* Bars of kernels: sums that many threads add to, and those of numbers that a launch passes by value. Of
 * <verso/rev/generated.h>, for nvcc. */
#ifndef VERSO_REV_LAUNCH_H
#define VERSO_REV_LAUNCH_H

#include <verso/rev/fault.h>

#ifdef __CUDA_ARCH__
/* The sum of a full warp, in its first lane. */
template <typename T> static inline __device__ T rev_sum_of_warp(T value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

static inline __device__ unsigned rev_thread_of_block(void) {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* Where all threads of a warp add to one place, one of them adds the sum: the memory does one addition at a time. */
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

/* Bars that several threads add to. A pointer to a thread's own variable is its own; where the compiler sees that it
 * is, it would warn about the branch that is not taken. */
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

/* At the end of a kernel, which all threads reach: every block adds once. */
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

/* The device's copy of a bar of the host, for the length of one launch: `k_adj<<<g, b>>>(x, rev_bar_of_launch(&bar))`.
 * Where the statement ends, the host's has what the kernel has added; that waits for the kernel. */
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
