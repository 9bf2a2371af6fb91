/* Reversible functions as arguments: a parameter `rev void (*f)(...)` takes all that is derived from a function. Host
 * code passes rev_callee_of(f), which in plain mode is f itself; inside rev functions the plain name is passed. */
#ifndef VERSO_REV_CALLEE_H
#define VERSO_REV_CALLEE_H

#ifdef VERSO_REV_GENERATED
typedef struct rev_callee {
    void (*forward)(void);
    void (*inverse)(void);
    void (*adjoint)(void);
    void (*inverse_adjoint)(void);
    void (*tangent)(void);
    void (*inverse_tangent)(void);
    void (*second)(void); /* the tangent of the adjoint */
    void (*inverse_second)(void);
} rev_callee;

/* A function pointer may be turned into any other and back; it is called as what it was. */
#define rev_callee_of(f) \
    ((rev_callee){(void (*)(void))(f), (void (*)(void))(f##_inv), (void (*)(void))(f##_adj), \
                  (void (*)(void))(f##_inv_adj), (void (*)(void))(f##_jvp), (void (*)(void))(f##_inv_jvp), \
                  (void (*)(void))(f##_hvp), (void (*)(void))(f##_inv_hvp)})
#else
#define rev_callee_of(f) (f)
#endif

#endif
