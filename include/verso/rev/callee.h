/* Reversible functions as arguments. A parameter `rev void (*f)(...)` needs all functions that are derived from f, so
 * in generated mode it is a rev_callee. Host code passes rev_callee_of(f), which in plain mode is f itself; inside rev
 * functions pass the plain name f. A rev_callee holds only function pointers: any thread may copy and use it, and
 * nothing has to be freed. */
#ifndef VERSO_REV_CALLEE_H
#define VERSO_REV_CALLEE_H

#ifdef VERSO_REV_GENERATED
typedef struct rev_callee {
    void (*forward)(void);         /* f */
    void (*inverse)(void);         /* f_inv */
    void (*adjoint)(void);         /* f_adj */
    void (*inverse_adjoint)(void); /* f_inv_adj */
    void (*tangent)(void);         /* f_jvp */
    void (*inverse_tangent)(void); /* f_inv_jvp */
    void (*second)(void);          /* f_hvp: the tangent of the adjoint */
    void (*inverse_second)(void);  /* f_inv_hvp */
} rev_callee;

/* C allows a function pointer to be converted to another type and back; generated code converts it back to call it. */
#define rev_callee_of(f) \
    ((rev_callee){(void (*)(void))(f), (void (*)(void))(f##_inv), (void (*)(void))(f##_adj), \
                  (void (*)(void))(f##_inv_adj), (void (*)(void))(f##_jvp), (void (*)(void))(f##_inv_jvp), \
                  (void (*)(void))(f##_hvp), (void (*)(void))(f##_inv_hvp)})
#else
#define rev_callee_of(f) (f)
#endif

#endif
