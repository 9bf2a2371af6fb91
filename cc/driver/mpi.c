/* Programs that use MPI. Verso depends on no MPI: the adjoints of MPI's functions are a source (include/verso/mpi)
 * that is compiled when such a program is linked, with the mpi.h that its files were compiled with. Each object file
 * notes where that is: `verso cc` finds the folder among those that the compiler searches, as mpicc and CMake name
 * them. */
#include "cc/driver/mpi.h"

#include "cc/driver/compile.h"
#include "cc/driver/process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTION "verso_mpi"

/* ---- Compiling ---- */

static const char *with_header(driver_words *kept, const char *folder) {
    return access(driver_words_print(kept, "%s/mpi.h", folder), R_OK) == 0 ? folder : NULL;
}

static const char *find_in_path(driver_words *kept, const char *variable) {
    const char *found = NULL;
    for (const char *at = getenv(variable); found == NULL && at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ":");
        if (length > 0)
            found = with_header(kept, driver_words_add_part(kept, at, length));
        at += length + (at[length] == ':');
    }
    return found;
}

/* Returns the folder of mpi.h on a command line or in the environment; NULL: there is none. */
static const char *find_folder(driver_words *kept, const driver_words *words) {
    static const char *const options[] = {"-I", "-isystem", "-idirafter"};
    const char *found = NULL;
    for (size_t i = 0; i < words->count && found == NULL; i++)
        for (size_t k = 0; k < sizeof options / sizeof *options && found == NULL; k++) {
            size_t length = strlen(options[k]);
            if (strncmp(words->at[i], options[k], length) != 0)
                continue;
            const char *folder = words->at[i] + length;
            if (*folder == '\0')
                folder = i + 1 < words->count ? words->at[i + 1] : "";
            if (*folder != '\0')
                found = with_header(kept, folder);
        }
    static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables && found == NULL; i++)
        found = find_in_path(kept, variables[i]);
    return found;
}

void driver_note_mpi(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                     driver_words *command) {
    const char *folder = places->include == NULL ? NULL : find_folder(&session->kept, &arguments->words);
    char *full = folder == NULL ? NULL : realpath(folder, NULL);
    if (full == NULL || strpbrk(full, "\"\\") != NULL) {
        free(full);
        return;
    }
    driver_words_print(command, "-DVERSO__MPI_FOLDER=\"%s\"", full);
    driver_words_add(command, "-include");
    driver_words_print(command, "%s/verso/mpi/folder.h", places->include);
    free(full);
}

/* ---- Linking ---- */

static void note_call(void *context, const char *symbol, bool defined) {
    bool *calls = context;
    *calls = *calls || (!defined && strncmp(symbol, "MPI_", 4) == 0);
}

/* Returns the folder that the object files note, if some of them call MPI; NULL: none does. `other`: one that notes
 * another folder. */
static const char *noted_folder(driver_session *session, const driver_trace *trace, const driver_unit **other) {
    const char *folder = NULL;
    for (size_t i = 0; i < trace->count; i++) {
        const driver_unit *unit = &trace->units[i];
        driver_elf elf;
        driver_bytes section = {0};
        size_t index = 0;
        bool calls = false;
        if (!unit->bitcode ||
            driver_elf_open(unit->content.bytes, unit->content.size, unit->label, &elf, NULL) != VERSO_STATUS_OK ||
            driver_elf_section(&elf, SECTION, unit->label, &index, &section, NULL) != VERSO_STATUS_OK ||
            section.bytes == NULL || section.size == 0 || section.bytes[section.size - 1] != '\0')
            continue;
        driver_elf_symbols(&elf, unit->label, note_call, &calls, NULL);
        const char *here = driver_words_print(&session->kept, "%s", (const char *)section.bytes);
        if (calls && folder != NULL && strcmp(here, folder) != 0)
            *other = unit;
        folder = calls && folder == NULL ? here : folder;
    }
    return folder;
}

static bool compile(driver_session *session, const driver_places *places, const char *folder, const char *object) {
    driver_words command = {0};
    driver_words_add(&command, session->clang);
    driver_words_add(&command, "-w");
    driver_words_add(&command, "-std=gnu17");
    driver_words_add(&command, "-O2");
    driver_words_add(&command, "-fPIC");
    driver_words_add(&command, "-flto=thin");
    driver_words_add(&command, "-ffat-lto-objects");
    driver_words_print(&command, "-I%s", folder);
    driver_words_print(&command, "-I%s", places->include);
    driver_words_add(&command, "-c");
    driver_words_add(&command, "-o");
    driver_words_add(&command, object);
    driver_words_add(&command, "-x");
    driver_words_add(&command, "c");
    driver_words_print(&command, "%s/verso/mpi/adjoints.h", places->include);
    int status = driver_process_run(session, &command, NULL, NULL);
    driver_words_free(&command);
    if (status != DRIVER_OK)
        driver_error(session, "the adjoints of MPI's functions cannot be compiled with the mpi.h in '%s'", folder);
    return status == DRIVER_OK;
}

bool driver_add_mpi(driver_session *session, driver_arguments *arguments, const driver_places *places,
                    const driver_trace *trace, bool *added) {
    const driver_unit *other = NULL;
    const char *folder = noted_folder(session, trace, &other);
    *added = false;
    if (folder == NULL)
        return true;
    if (other != NULL)
        return driver_error(session,
                            "'%s' was compiled with another mpi.h than the one in '%s'; compile all files with "
                            "the same mpicc",
                            other->label, folder),
               false;
    const char *object = driver_scratch(session, "mpi-adjoints.o");
    if (object == NULL || !compile(session, places, folder, object))
        return false;
    driver_argument argument = {
        .kind = DRIVER_ARGUMENT_INPUT, .text = object, .input = DRIVER_INPUT_LINKED, .source = "verso/mpi/adjoints.h"};
    if (!driver_arguments_insert(arguments, 0, argument))
        return driver_error(session, "out of memory"), false;
    return *added = true;
}
