/* Which rule a routine has, and the functions that generated code calls: see blas.h. */
#include "native/blas/inside.h"

static const verso__blas_rule no_derivative;

static const verso__blas_rule *rule_of(verso__blas_routine routine) {
    switch ((int)routine) {
    case VERSO_BLAS_iamax: return &no_derivative;
    case VERSO_BLAS_trsv:
    case VERSO_BLAS_tbsv:
    case VERSO_BLAS_tpsv:
    case VERSO_BLAS_trsm:
    case VERSO_BLAS_trtrs: return &verso__blas_solve_rule;
    case VERSO_BLAS_getrf: return &verso__blas_getrf_rule;
    case VERSO_BLAS_getrs: return &verso__blas_getrs_rule;
    case VERSO_BLAS_gesv: return &verso__blas_gesv_rule;
    case VERSO_BLAS_potrf: return &verso__blas_potrf_rule;
    case VERSO_BLAS_potrs: return &verso__blas_potrs_rule;
    case VERSO_BLAS_posv: return &verso__blas_posv_rule;
    default: return routine < VERSO_BLAS_gemv ? &verso__blas_vector_rule : &verso__blas_product_rule;
    }
}

/* Temporary matrices of a call that was given up are freed by the next one. */
static void apply(verso_call *call, uint64_t code, const int64_t *words, verso__blas_phase phase,
                  void (*part)(verso__blas_call *c)) {
    verso__blas_call c;
    verso__blas_release();
    if (part == NULL && phase != VERSO_BLAS_RECORDS)
        return;
    verso__blas_read_call(&c, call, code, words, phase);
    if (part != NULL)
        part(&c);
    verso__blas_release();
}

static const verso__blas_rule *rule_for(uint64_t code) {
    return rule_of((verso__blas_routine)(code & 0xffff));
}

void verso__native_rule_record(verso_call *call, uint64_t code, const int64_t *words) {
    if (rule_for(code) != &no_derivative)
        apply(call, code, words, VERSO_BLAS_RECORDS, rule_for(code)->record);
}

void verso__native_rule_recorded(verso_call *call, uint64_t code, const int64_t *words) {
    apply(call, code, words, VERSO_BLAS_REREADS, rule_for(code)->recorded);
}

void verso__native_rule_sweep(verso_call *call, uint64_t code, const int64_t *words) {
    apply(call, code, words, VERSO_BLAS_SWEEPS, rule_for(code)->sweep);
}

void verso__native_rule_tangent(verso_call *call, uint64_t code, const int64_t *words) {
    apply(call, code, words, VERSO_BLAS_REREADS, rule_for(code)->tangent);
}

void verso__native_rule_tangent_end(verso_call *call, uint64_t code, const int64_t *words) {
    apply(call, code, words, VERSO_BLAS_REREADS, rule_for(code)->tangent_end);
}
