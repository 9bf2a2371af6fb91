/* What is known about those functions of flang's run-time library that native/lib/fortran does not replace. The names
 * are written without "_FortranA". */
#include "cc/front/known_table.h"

#include <stdbool.h>
#include <string.h>

typedef struct described {
    const char *name, *writes;
} described;

/* CC_KNOWN_READS, CC_WORLD_NOT: they read memory, and return integers, logicals, or numbers that are constant between
 * steps. */
static const char *const reading[] = {"All",
                                      "Any",
                                      "CharacterCompare",
                                      "CharacterCompareScalar",
                                      "CharacterCompareScalar1",
                                      "CharacterCompareScalar2",
                                      "CharacterCompareScalar4",
                                      "ClassIs",
                                      "Count",
                                      "DotProductLogical",
                                      "ExtendsTypeOf",
                                      "Index1",
                                      "Index2",
                                      "Index4",
                                      "IsAssumedSize",
                                      "IsContiguous",
                                      "LboundDim",
                                      "LenTrim1",
                                      "LenTrim2",
                                      "LenTrim4",
                                      "MapException",
                                      "Parity",
                                      "PointerIsAssociated",
                                      "PointerIsAssociatedWith",
                                      "ReportFatalUserError",
                                      "SameTypeAs",
                                      "Scan1",
                                      "Scan2",
                                      "Scan4",
                                      "SelectedCharKind",
                                      "SelectedIntKind",
                                      "SelectedLogicalKind",
                                      "SelectedRealKind",
                                      "Size",
                                      "SizeDim",
                                      "Verify1",
                                      "Verify2",
                                      "Verify4"};
/* The same, for all kinds: "Nint8_4". */
static const char *const reading_kinds[] = {"Ceiling",    "Exponent",      "Floor", "IsFinite",  "IsNaN",
                                            "ModInteger", "ModuloInteger", "Nint",  "RRSpacing", "Spacing"};

/* CC_KNOWN_READS, CC_WORLD_ONCE */
static const char *const outside[] = {"Abort",
                                      "ArgumentCount",
                                      "CpuTime",
                                      "Exit",
                                      "FailImageStatement",
                                      "GetPID",
                                      "PauseStatement",
                                      "PauseStatementInt",
                                      "PauseStatementText",
                                      "ProgramEndStatement",
                                      "RandomInit",
                                      "RandomSeedDefaultPut",
                                      "RandomSeedPut",
                                      "Sleep",
                                      "StopStatement",
                                      "StopStatementText",
                                      "SystemClockCount",
                                      "SystemClockCountMax",
                                      "SystemClockCountRate"};

/* CC_KNOWN_WRITES, CC_WORLD_ONCE; see cc_known.writes. */
static const described writing[] = {
    {"DateAndTime", "0123458D"},  {"GetCommand", "0D1D2D"},     {"GetCommandArgument", "1D2D3D"},
    {"GetEnvVariable", "1D2D4D"}, {"RandomNumber", "0D"},       {"RandomSeedGet", "0D"},
    {"RandomSeedSize", "0D"},     {"ioGetIoMsg", "12"},         {"ioGetNewUnit", "12"},
    {"ioInputAscii", "12"},       {"ioInputCharacter", "12"},   {"ioInputComplex32", "1l"},
    {"ioInputComplex64", "1T"},   {"ioInputDerivedType", "1D"}, {"ioInputDescriptor", "1D"},
    {"ioInputInteger", "12"},     {"ioInputLogical", "1b"},     {"ioInputReal32", "1i"},
    {"ioInputReal64", "1d"},      {"ioInquireCharacter", "23"}, {"ioInquireInteger64", "23"},
    {"ioInquireLogical", "2b"},   {"ioInquirePendingId", "2b"}};

/* CC_KNOWN_READS, CC_WORLD_ONCE: functions of the run time (native/run/fortran.c). */
static const char *const files[] = {"verso__fortran_wrote", "verso__fortran_read", "verso__fortran_wrote_text",
                                    "verso__fortran_read_text", "verso__fortran_defined"};

static const char prefix[] = "_FortranA";
#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool is_one_of(const char *name, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

/* Whether the name is one of the words, followed by kinds. */
static bool is_kind_of(const char *name, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(list[i]);
        if (strncmp(name, list[i], length) == 0 && name[length + strspn(name + length, "0123456789_")] == '\0')
            return true;
    }
    return false;
}

cc_known cc_known_fortran(const char *symbol) {
    const char *name = symbol + strlen(prefix);
    if (strcmp(symbol, "verso__fortran_was_read") == 0)
        return (cc_known){symbol, CC_KNOWN_WRITES, "0D", CC_WORLD_ONCE};
    if (strcmp(symbol, "verso__fortran_was_written") == 0)
        return (cc_known){symbol, CC_KNOWN_WRITES, "01", CC_WORLD_ONCE};
    if (strcmp(symbol, "verso__fortran_unit") == 0)
        return (cc_known){symbol, CC_KNOWN_WRITES, "2T", CC_WORLD_ONCE};
    if (is_one_of(symbol, files, COUNT(files)))
        return (cc_known){symbol, CC_KNOWN_READS, "", CC_WORLD_ONCE};
    if (strncmp(symbol, prefix, strlen(prefix)) != 0)
        return (cc_known){symbol, CC_KNOWN_NOT, "", CC_WORLD_NOT};
    if (is_one_of(name, reading, COUNT(reading)) || is_kind_of(name, reading_kinds, COUNT(reading_kinds)))
        return (cc_known){symbol, CC_KNOWN_READS, "", CC_WORLD_NOT};
    for (size_t i = 0; i < COUNT(writing); i++)
        if (strcmp(name, writing[i].name) == 0)
            return (cc_known){symbol, CC_KNOWN_WRITES, writing[i].writes, CC_WORLD_ONCE};
    if (strncmp(name, "ioCheck", 7) == 0)
        return (cc_known){symbol, CC_KNOWN_READS, "", CC_WORLD_NOT};
    if (strncmp(name, "io", 2) == 0 || is_one_of(name, outside, COUNT(outside)))
        return (cc_known){symbol, CC_KNOWN_READS, "", CC_WORLD_ONCE};
    return (cc_known){symbol, CC_KNOWN_NOT, "", CC_WORLD_NOT};
}

/* A statement ends in the process in which it began, and so must the use of a unit that the program has opened. */
const char *cc_known_fortran_held(const char *symbol) {
    const char *name = symbol + strlen(prefix);
    if (strncmp(symbol, prefix, strlen(prefix)) != 0 || strncmp(name, "io", 2) != 0)
        return "";
    name += 2;
    if (strncmp(name, "BeginExternalFormatted", 22) == 0)
        return "d3or";
    if (strncmp(name, "BeginExternalList", 17) == 0 || strncmp(name, "BeginUnformatted", 16) == 0)
        return "d0or";
    if (strcmp(name, "BeginOpenUnit") == 0)
        return "O0or";
    if (strncmp(name, "Begin", 5) == 0)
        return "or";
    return strncmp(name, "Check", 5) == 0 ? "" : "s0";
}
