/* Writes the call of a Fortran procedure, in Fortran, so that flang passes the arguments. verso_at(0) is the address of
 * the result, verso_at(1) and following those of the arguments (harness/main.c). */
#include "cli/derive_fortran.h"

#include <string.h>

static bool is_text(const derive_parameter *parameter) {
    return parameter->type.class == DERIVE_POINTER && strcmp(parameter->type.scalar->name, "char") == 0;
}

static bool is_array(const derive_parameter *parameter) {
    return parameter->type.class == DERIVE_POINTER && !parameter->type.reference && !is_text(parameter);
}

/* ---- The interface of an external procedure ---- */

static void write_names(FILE *out, const derive_signature *signature) {
    for (size_t i = 0; i < signature->parameter_count; i++)
        fprintf(out, "%s%s", i > 0 ? ", &\n        " : "", signature->parameters[i].name);
}

static void write_argument_type(FILE *out, const derive_parameter *parameter) {
    fprintf(out, "      %s", parameter->spelling);
    if (parameter->type.constant)
        fputs(", intent(in)", out);
    if (parameter->by_value)
        fputs(", value", out);
    if (parameter->optional)
        fputs(", optional", out);
    fprintf(out, " :: %s", parameter->name);
    if (parameter->shape)
        fprintf(out, "(%s)", parameter->shape);
    fputc('\n', out);
}

/* Numbers first: sizes of arrays may refer to them. */
static void write_interface(FILE *out, const derive_signature *signature) {
    const char *kind = signature->result.class == DERIVE_VOID ? "subroutine" : "function";
    fprintf(out, "  interface\n    %s %s(", kind, signature->procedure);
    write_names(out, signature);
    fputc(')', out);
    if (signature->result.class != DERIVE_VOID)
        fputs(" &\n        result(verso_result)", out);
    if (signature->bound)
        fprintf(out, " &\n        bind(c, name=\"%s\")", signature->bound);
    fputs("\n      implicit none\n", out);
    if (signature->result.class != DERIVE_VOID)
        fprintf(out, "      %s :: verso_result\n", signature->result.printed);
    for (int arrays = 0; arrays < 2; arrays++)
        for (size_t i = 0; i < signature->parameter_count; i++)
            if ((signature->parameters[i].shape != NULL) == (arrays == 1))
                write_argument_type(out, &signature->parameters[i]);
    fprintf(out, "    end %s\n  end interface\n", kind);
}

/* ---- The call ---- */

static void write_variable(FILE *out, const derive_parameter *parameter, size_t place) {
    if (parameter->null)
        return;
    if (is_text(parameter)) {
        fprintf(out, "  character(kind=c_char), pointer :: verso_c%zu(:)\n", place);
        fprintf(out, "  character(%zu) :: verso_%zu\n", parameter->count - 1, place);
        return;
    }
    const char *spelling = parameter->spelling;
    if (parameter->logical) /* it comes as an integer of the same size */
        fprintf(out, "  integer%s", spelling + strlen("logical"));
    else
        fprintf(out, "  %s", spelling);
    fprintf(out, ", pointer%s :: verso_%zu", is_array(parameter) ? ", contiguous" : "", place);
    size_t rank = !is_array(parameter) ? 0 : parameter->assumed ? parameter->type.dimension_count : 1;
    for (size_t i = 0; i < rank; i++)
        fputs(i == 0 ? "(:" : ", :", out);
    fputs(rank > 0 ? ")\n" : "\n", out);
}

static void write_pointer(FILE *out, const derive_parameter *parameter, size_t place) {
    if (parameter->null)
        return;
    if (is_text(parameter)) {
        fprintf(out, "  call c_f_pointer(verso_at(%zu), verso_c%zu, [%zu])\n", place, place, parameter->count);
        fprintf(out, "  do verso_i = 1, %zu\n    verso_%zu(verso_i:verso_i) = verso_c%zu(verso_i)\n  end do\n",
                parameter->count - 1, place, place);
        return;
    }
    fprintf(out, "  call c_f_pointer(verso_at(%zu), verso_%zu", place, place);
    if (is_array(parameter) && parameter->assumed && parameter->extent_count > 0) {
        for (size_t i = 0; i < parameter->extent_count; i++)
            fprintf(out, "%s%lld", i == 0 ? ", [" : ", ", (long long)parameter->extents[i]);
        fputc(']', out);
    } else if (is_array(parameter)) {
        fprintf(out, ", [%zu]", parameter->count);
    }
    fputs(")\n", out);
}

static void write_actual(FILE *out, const derive_parameter *parameter, size_t place, bool first) {
    fprintf(out, "%s &\n      %s=", first ? "" : ",", parameter->name);
    if (parameter->logical)
        fprintf(out, "logical(verso_%zu /= 0, %zu)", place, parameter->type.scalar->size);
    else
        fprintf(out, "verso_%zu", place);
}

void derive_fortran_call(FILE *out, const derive_signature *signature) {
    bool function = signature->result.class != DERIVE_VOID, first = true;
    const char *name = signature->module ? "verso_procedure" : signature->procedure;
    fputs("! Written by Verso: calls the procedure with what the harness has read.\n"
          "subroutine verso_harness_call(verso_at) bind(c, name=\"verso__harness_call\")\n"
          "  use, intrinsic :: iso_c_binding, only: c_ptr, c_char, c_f_pointer\n",
          out);
    if (signature->module)
        fprintf(out, "  use %s, only: verso_procedure => %s\n", signature->module, signature->procedure);
    fprintf(out, "  implicit none\n  type(c_ptr), intent(in) :: verso_at(0:%zu)\n  integer :: verso_i\n",
            signature->parameter_count);
    if (!signature->module)
        write_interface(out, signature);
    if (function)
        fprintf(out, "  %s, pointer :: verso_0\n", signature->result.printed);
    for (size_t i = 0; i < signature->parameter_count; i++)
        write_variable(out, &signature->parameters[i], i + 1);
    if (function)
        fputs("  call c_f_pointer(verso_at(0), verso_0)\n", out);
    for (size_t i = 0; i < signature->parameter_count; i++)
        write_pointer(out, &signature->parameters[i], i + 1);
    fprintf(out, "  %s%s(", function ? "verso_0 = " : "call ", name);
    for (size_t i = 0; i < signature->parameter_count; i++) {
        if (signature->parameters[i].null)
            continue;
        write_actual(out, &signature->parameters[i], i + 1, first);
        first = false;
    }
    fputs(")\nend subroutine\n", out);
}
