/* Keeps the program of a durable run in the run's directory, so that continuing the run needs no compiler.
 *
 *     DIRECTORY/build            the program, clang's description of the function, and the file `made`
 *     DIRECTORY/build.XXXXXX     an unfinished build; if its process dies, the next process removes it
 *     DIRECTORY/build.lock       locked (flock) by the command that uses the directory
 *
 * `made` lists what the program was made from, one item per line:
 *
 *     verso-build 1 VERSION
 *     words HASH                 checksum of the command line, the folder and the environment that the compiler uses
 *     function INDEX NAME        index of the file that declares the function, and its name
 *     file HASH PATH             a source, header, object or archive; also the program itself and clang's description
 *     end COUNT                  number of lines before this one
 *
 * The program is used again if all items are unchanged. Otherwise it is built again, and the library decides whether
 * the new program may continue the run. All files are made in the run's directory, so that a command that is killed
 * leaves nothing elsewhere. */
#include "cli/derive.h"

#include "base/checksum.h"
#include "cli/message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <verso/version.h>

enum { HASH_TEXT = 33 };
static const char leftovers[] = "build.";

/* ---- Hashes ---- */

static void print_hash(verso_identity identity, char text[HASH_TEXT]) {
    snprintf(text, HASH_TEXT, "%016" PRIx64 "%016" PRIx64, identity.words[0], identity.words[1]);
}

/* Computes the checksum of a file. Returns false if it cannot be read. */
static bool hash_file(const char *path, char text[HASH_TEXT]) {
    cli_region region = {0};
    size_t size;
    char *bytes = cli_file_read_own(&region, path, &size);
    if (bytes)
        print_hash(verso__checksum_wide(bytes, size), text);
    cli_region_free(&region);
    return bytes != NULL;
}

static verso_identity add_text(verso_identity so_far, const char *text) {
    return verso__checksum_chain(so_far, text ? text : "", text ? strlen(text) + 1 : 0);
}

/* The checksum of everything on the command line and in the environment that the program depends on. */
static void hash_words(derive *task, char text[HASH_TEXT]) {
    static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH"};
    char folder[PATH_MAX];
    verso_identity sum = add_text((verso_identity){{0}}, getcwd(folder, sizeof folder));
    sum = add_text(sum, task->arguments.operands[0]);
    for (int i = 0; i < task->arguments.passed_count; i++)
        sum = add_text(sum, task->arguments.passed[i]);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        sum = add_text(sum, getenv(variables[i]));
    for (size_t i = 0; i < task->arguments.given_count; i++) /* --set NAME=NULL changes the generated call */
        sum = add_text(sum, task->arguments.given[i].value);
    sum = add_text(sum, task->arguments.values[DERIVE_OF]);
    print_hash(sum, text);
}

/* ---- Checking whether the kept program is up to date ---- */

static char *kept_file(derive *task, const char *folder, const char *name) {
    return cli_region_print(&task->region, "%s/%s", folder, name);
}

/* Returns the next line without its newline and moves *at past it; NULL if there is none. */
static char *take_line(char **at) {
    char *line = *at, *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *end = '\0';
    *at = end + 1;
    return line;
}

static bool is_file_unchanged(derive *task, const char *folder, const char *line) {
    char now[HASH_TEXT];
    if (strlen(line) < HASH_TEXT || line[HASH_TEXT - 1] != ' ')
        return false;
    const char *name = line + HASH_TEXT;
    const char *path = strchr(name, '/') ? name : kept_file(task, folder, name);
    return hash_file(path, now) && strncmp(now, line, HASH_TEXT - 1) == 0;
}

static bool read_function(derive *task, const char *line) {
    char *name;
    errno = 0;
    unsigned long long index = strtoull(line, &name, 10);
    if (errno != 0 || name == line || *name != ' ' || index >= task->file_count || name[1] == '\0')
        return false;
    task->kept.file = &task->files[index];
    task->kept.function = name + 1;
    return true;
}

static bool are_words_unchanged(derive *task, const char *line) {
    char now[HASH_TEXT];
    hash_words(task, now);
    return strcmp(line, now) == 0;
}

/* Checks the text of `made` line by line. Returns true if the program can be used again. */
static bool is_up_to_date(derive *task, const char *folder, char *text) {
    const char *first = cli_region_print(&task->region, "verso-build 1 %s", verso_version());
    size_t words = 0, functions = 0, files = 0, lines = 1;
    char *line = take_line(&text);
    if (!line || strcmp(line, first) != 0)
        return false;
    for (; (line = take_line(&text)) != NULL; lines++) {
        bool good = false;
        if (strncmp(line, "end ", 4) == 0)
            return words == 1 && functions == 1 && files >= 2 && strtoull(line + 4, NULL, 10) == lines && !*text;
        if (strncmp(line, "words ", 6) == 0)
            good = ++words == 1 && are_words_unchanged(task, line + 6);
        else if (strncmp(line, "function ", 9) == 0)
            good = ++functions == 1 && read_function(task, line + 9);
        else if (strncmp(line, "file ", 5) == 0)
            good = ++files > 0 && is_file_unchanged(task, folder, line + 5);
        if (!good)
            return false;
    }
    return false;
}

/* ---- The folder ---- */

static int take_lock(derive *task) {
    const char *path = kept_file(task, task->directory, "build.lock");
    if (mkdir(task->directory, 0700) != 0 && errno != EEXIST)
        return cli_failure(task->command, "cannot create the directory '%s': %s", task->directory, strerror(errno));
    task->kept.lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (task->kept.lock < 0)
        return cli_failure(task->command, "cannot open '%s': %s", path, strerror(errno));
    task->kept.locked = true;
    if (flock(task->kept.lock, LOCK_EX | LOCK_NB) == 0)
        return CLI_OK;
    return errno == EWOULDBLOCK
               ? cli_failure(task->command, "another process uses '%s'; wait for it, or end it", task->directory)
               : cli_failure(task->command, "cannot lock '%s': %s", path, strerror(errno));
}

/* Removes unfinished builds of processes that were killed. */
static void remove_leftovers(derive *task) {
    DIR *folder = opendir(task->directory);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
        if (strncmp(entry->d_name, leftovers, sizeof leftovers - 1) == 0 && strcmp(entry->d_name, "build.lock") != 0) {
            cli_scratch old = {.path = kept_file(task, task->directory, entry->d_name)};
            cli_scratch_close(&old);
        }
    if (folder)
        closedir(folder);
}

/* True if only this user can write to the folder: the program in it will be run. */
static bool is_own_folder(const char *path) {
    struct stat facts;
    return lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
           (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int derive_kept_open(derive *task) {
    char *folder = kept_file(task, task->directory, "build");
    int status = take_lock(task);
    if (status != CLI_OK)
        return status;
    remove_leftovers(task);
    size_t size;
    char *made =
        is_own_folder(folder) ? cli_file_read_own(&task->region, kept_file(task, folder, "made"), &size) : NULL;
    task->kept.built = made && strlen(made) == size && is_up_to_date(task, folder, made);
    task->scratch = (cli_scratch){.path = folder, .kept = true};
    if (task->kept.built)
        return CLI_OK;
    task->scratch = (cli_scratch){.path = kept_file(task, task->directory, "build.XXXXXX")};
    if (mkdtemp(task->scratch.path))
        return CLI_OK;
    char *path = task->scratch.path;
    task->scratch.path = NULL;
    return cli_failure(task->command, "cannot create the folder '%s': %s", path, strerror(errno));
}

void derive_kept_close(derive *task) {
    if (task->kept.locked)
        close(task->kept.lock);
    task->kept.locked = false;
}

/* ---- Writing `made` ---- */

typedef struct list {
    FILE *out;
    size_t lines;
} list;

/* Writes a line "file". `name` is an absolute path, or a name without a slash for a file in the kept folder. */
static void list_file(list *list, const char *path, const char *name) {
    char hash[HASH_TEXT];
    if (!hash_file(path, hash) || strchr(name, '\n'))
        snprintf(hash, sizeof hash, "unreadable"); /* matches no checksum, so the next process builds again */
    fprintf(list->out, "file %s %s\n", hash, name);
    list->lines++;
}

static void list_path(list *list, const char *path) {
    char whole[PATH_MAX];
    if (realpath(path, whole))
        list_file(list, whole, whole);
    else
        list_file(list, path, path);
}

void derive_rule_files(derive *task, const char *rule, derive_strings *files) {
    const char *at = strstr(rule, ": ");
    for (at = at ? at + 2 : ""; *at;) {
        char path[PATH_MAX];
        size_t length = 0;
        while (*at == ' ' || *at == '\n' || (at[0] == '\\' && at[1] == '\n'))
            at += *at == '\\' ? 2 : 1;
        for (; *at && *at != ' ' && *at != '\n' && !(at[0] == '\\' && at[1] == '\n') && length + 1 < sizeof path;
             at++) {
            if ((at[0] == '\\' && (at[1] == ' ' || at[1] == '#')) || (at[0] == '$' && at[1] == '$'))
                at++;
            path[length++] = *at;
        }
        path[length] = '\0';
        if (length > 0)
            derive_add_string(task, files, cli_region_copy(&task->region, path, length));
        if (length + 1 >= sizeof path)
            return;
    }
}

/* Lists the files of a rule, except those that the command has made. */
static void list_rule(derive *task, list *list, const char *text) {
    derive_strings files = {0};
    size_t own = strlen(task->scratch.path);
    derive_rule_files(task, text, &files);
    for (size_t i = 0; i < files.count; i++)
        if (strncmp(files.at[i], task->scratch.path, own) != 0)
            list_path(list, files.at[i]);
}

static void list_rules(derive *task, list *list) {
    for (size_t i = 0; i < task->kept.rules.count; i++) {
        size_t size;
        char *text = cli_file_read(&task->region, task->kept.rules.at[i], &size);
        if (text)
            list_rule(task, list, text);
    }
}

/* Lists files among the compiler arguments, and static libraries (-l) in folders given by -L. Libraries of the system
 * are not listed. */
static void list_passed(derive *task, list *list) {
    const cli_arguments *arguments = &task->arguments;
    for (int i = 0; i < arguments->passed_count; i++) {
        const char *word = arguments->passed[i];
        if (word[0] != '-' && access(word, R_OK) == 0)
            list_path(list, word);
        for (int j = 0; strncmp(word, "-l", 2) == 0 && j < arguments->passed_count; j++) {
            const char *folder = arguments->passed[j];
            if (strncmp(folder, "-L", 2) != 0)
                continue;
            char *path = cli_region_print(&task->region, "%s/lib%s.a", folder + 2, word + 2);
            if (access(path, R_OK) == 0)
                list_path(list, path);
        }
    }
}

static bool write_made(derive *task) {
    char hash[HASH_TEXT];
    list list = {.out = fopen(cli_scratch_file(&task->scratch, &task->region, "made"), "w"), .lines = 3};
    if (!list.out)
        return false;
    hash_words(task, hash);
    fprintf(list.out, "verso-build 1 %s\nwords %s\nfunction %zu %s\n", verso_version(), hash,
            (size_t)(task->signature.file - task->files), task->signature.name);
    list_file(&list, cli_scratch_file(&task->scratch, &task->region, "program"), "program");
    list_file(&list, cli_scratch_file(&task->scratch, &task->region, "type.json"), "type.json");
    for (size_t i = 0; i < task->file_count; i++)
        list_path(&list, task->files[i].path);
    list_rules(task, &list);
    list_passed(task, &list);
    fprintf(list.out, "end %zu\n", list.lines);
    return !(ferror(list.out) | fclose(list.out));
}

/* True if the directory contains a run, which must keep the program that it began with. */
static bool has_run(derive *task) {
    return access(kept_file(task, task->directory, "journal"), F_OK) == 0;
}

/* Failures are ignored: the next process then builds the program again. */
void derive_kept_store(derive *task) {
    if (!task->directory || task->kept.built || task->scratch.kept || has_run(task) || !write_made(task))
        return;
    for (size_t i = 0; i < task->kept.objects.count; i++)
        remove(task->kept.objects.at[i]);
    cli_scratch old = {.path = kept_file(task, task->directory, "build")};
    char *folder = old.path;
    cli_scratch_close(&old);
    if (rename(task->scratch.path, folder) == 0)
        task->scratch = (cli_scratch){.path = folder, .kept = true};
}
