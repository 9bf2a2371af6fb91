/* What `verso library` makes of each function k of a shared library: functions by which the process that loads the
 * library calls and differentiates it. This text precedes the generated calls.
 *
 * `at` points to pointers: to the result, and to each parameter (to the array, or to the number). The other arguments
 * are those of verso_vjp, verso_jvp, verso_check and verso_jacobian. */
#include <verso/jacobian.h>
#include <verso/native.h>

#ifdef __cplusplus
#define VERSO_LIBRARY_API extern "C" VERSO_API
#else
#define VERSO_LIBRARY_API VERSO_API
#endif

#define VERSO_LIBRARY_FUNCTION(k) \
    static void verso__run_##k(void *context); \
    VERSO_LIBRARY_API void verso__call_##k(void **at); \
    void verso__call_##k(void **at) { \
        verso__run_##k(at); \
    } \
    VERSO_LIBRARY_API verso_status verso__vjp_##k( \
        void **at, const verso_array *wrt, size_t wrt_count, const verso_array *of, size_t of_count, \
        const verso_native_options *options, verso_native_report *report, verso_error *error); \
    verso_status verso__vjp_##k(void **at, const verso_array *wrt, size_t wrt_count, const verso_array *of, \
                                size_t of_count, const verso_native_options *options, verso_native_report *report, \
                                verso_error *error) { \
        return verso_vjp(verso__run_##k, at, wrt, wrt_count, of, of_count, options, report, error); \
    } \
    VERSO_LIBRARY_API verso_status verso__jvp_##k(void **at, const verso_array *wrt, size_t wrt_count, \
                                                  const verso_array *of, size_t of_count, verso_native_report *report, \
                                                  verso_error *error); \
    verso_status verso__jvp_##k(void **at, const verso_array *wrt, size_t wrt_count, const verso_array *of, \
                                size_t of_count, verso_native_report *report, verso_error *error) { \
        return verso_jvp(verso__run_##k, at, wrt, wrt_count, of, of_count, report, error); \
    } \
    VERSO_LIBRARY_API verso_status verso__check_##k( \
        void **at, const verso_array *wrt, size_t wrt_count, const verso_array *of, size_t of_count, \
        const verso_check_options *options, verso_check_report *report, verso_error *error); \
    verso_status verso__check_##k(void **at, const verso_array *wrt, size_t wrt_count, const verso_array *of, \
                                  size_t of_count, const verso_check_options *options, verso_check_report *report, \
                                  verso_error *error) { \
        return verso_check(verso__run_##k, at, wrt, wrt_count, of, of_count, options, report, error); \
    } \
    VERSO_LIBRARY_API verso_status verso__jacobian_##k(void **at, const verso_array *wrt, size_t wrt_count, \
                                                       const verso_array *of, size_t of_count, double *jacobian, \
                                                       verso_error *error); \
    verso_status verso__jacobian_##k(void **at, const verso_array *wrt, size_t wrt_count, const verso_array *of, \
                                     size_t of_count, double *jacobian, verso_error *error) { \
        return verso_jacobian(verso__run_##k, at, wrt, wrt_count, of, of_count, jacobian, NULL, NULL, error); \
    } \
    VERSO_LIBRARY_API verso_status verso__sparse_##k(void **at, const verso_array *wrt, size_t wrt_count, \
                                                     const verso_array *of, size_t of_count, verso_sparse **matrix, \
                                                     verso_error *error); \
    verso_status verso__sparse_##k(void **at, const verso_array *wrt, size_t wrt_count, const verso_array *of, \
                                   size_t of_count, verso_sparse **matrix, verso_error *error) { \
        return verso_jacobian_sparse(verso__run_##k, at, wrt, wrt_count, of, of_count, matrix, NULL, NULL, error); \
    } \
    static void verso__run_##k(void *context)
