/* Implements unit.h. A unit calls a function if its symbol is undefined in the object file; this needs no LLVM. */
#include "cc/driver/unit.h"

#include "cc/driver/embed.h"

#include <string.h>

const char *const driver_unit_differentiating[] = {"verso_gradient",
                                                   "verso_vjp",
                                                   "verso_jvp",
                                                   "verso_directional",
                                                   "verso_check",
                                                   "verso_check_gradient",
                                                   "verso_jacobian",
                                                   "verso_jacobian_sparse",
                                                   "verso_execution_open",
                                                   NULL};
static const char *const assisting[] = {"verso_keep",
                                        "verso_wrote",
                                        "verso_adjoint_add",
                                        "verso_adjoint_read",
                                        "verso_adjoint_take",
                                        "verso_tangent_read",
                                        "verso_tangent_write",
                                        "verso_execution_close",
                                        "verso_fixed_point_at",
                                        "verso_linear_solve_at",
                                        "verso_sparse_free",
                                        "verso_execution_run",
                                        "verso_execution_capture",
                                        "verso_execution_resume",
                                        "verso_execution_copy_size",
                                        "verso_execution_copy_free",
                                        "verso_site_count",
                                        "verso_site_get",
                                        "verso_site_set",
                                        "verso_sites_switch",
                                        "verso_sites_read",
                                        "verso_profile_free",
                                        "verso_profile_sites",
                                        "verso_profile_site",
                                        "verso_profile_predict",
                                        "verso_profile_write",
                                        "verso_profile_read",
                                        NULL};

const char *const driver_bitcode_sections[] = {".llvm.lto", DRIVER_EMBEDDED_SECTION, NULL};

static const char *find(const char *const *names, const char *symbol) {
    while (*names != NULL && strcmp(*names, symbol) != 0)
        names++;
    return *names;
}

static void note_symbol(void *context, const char *symbol, bool defined) {
    driver_unit *unit = context;
    unit->fortran = unit->fortran || (!defined && strncmp(symbol, "_FortranA", 9) == 0);
    unit->module = unit->module || (!defined && strncmp(symbol, "_QMversoP", 9) == 0);
    if (defined || strncmp(symbol, "verso_", 6) != 0)
        return;
    const char *call = find(driver_unit_differentiating, symbol);
    if (call != NULL) {
        unit->differentiates = true;
        unit->calls = call;
    }
    unit->uses_library = unit->uses_library || call != NULL || find(assisting, symbol) != NULL;
}

static verso_status find_bitcode(driver_unit *unit, const driver_elf *elf, verso_error *error) {
    for (const char *const *name = driver_bitcode_sections; *name != NULL && !unit->bitcode; name++) {
        driver_bytes section;
        size_t index = 0;
        verso_status status = driver_elf_section(elf, *name, unit->label, &index, &section, error);
        if (status != VERSO_STATUS_OK)
            return status;
        unit->bitcode = section.size > 0;
    }
    return VERSO_STATUS_OK;
}

verso_status driver_unit_read(driver_unit *unit, verso_error *error) {
    unit->bitcode = unit->fortran = unit->module = unit->differentiates = unit->uses_library = false;
    if (!driver_elf_is_object(unit->content.bytes, unit->content.size))
        return VERSO_STATUS_OK;
    driver_elf elf;
    verso_status status = driver_elf_open(unit->content.bytes, unit->content.size, unit->label, &elf, error);
    if (status == VERSO_STATUS_OK)
        status = find_bitcode(unit, &elf, error);
    if (status == VERSO_STATUS_OK)
        status = driver_elf_symbols(&elf, unit->label, note_symbol, unit, error);
    return status;
}
