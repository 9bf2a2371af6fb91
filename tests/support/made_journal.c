/* Implements made_journal.h. */
#include "tests/support/made_journal.h"

#include "base/checksum.h"
#include "base/words.h"
#include "drive/journal_record.h"
#include "tests/support/toy.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEPS = 24, CASES = 4, PATH_MOST = 200, LIVE_MOST = 40, CURSOR_MOST = 1 << 16, JOURNAL_MOST = 1 << 20 };

static const struct {
    verso_schedule_kind kind;
    uint64_t slots, limit;
    bool unknown;
} cases[CASES] = {{VERSO_KIND_DISK, 2, 40, false},
                  {VERSO_KIND_RESILIENT, 4, 45, false},
                  {VERSO_KIND_ONLINE, 3, 40, true},
                  {VERSO_KIND_REVOLVE, 3, 12, false}};

static char folder[PATH_MOST];
static verso__journal_contents bases[CASES];

static void require(bool holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "made_journal: %s\n", what);
    abort();
}

/* ---- Folders ---- */

static char *path_of(const char *directory, const char *name, char path[2 * PATH_MOST]) {
    int length = snprintf(path, 2 * PATH_MOST, "%s/%s", directory, name);
    require(length > 0 && length < 2 * PATH_MOST, "a path is too long");
    return path;
}

static void each(const char *directory, void (*call)(const char *directory, const char *name, void *context),
                 void *context) {
    DIR *open = opendir(directory);
    for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            call(directory, entry->d_name, context);
    if (open != NULL)
        closedir(open);
}

static void remove_all(const char *directory, const char *name, void *context) {
    char path[2 * PATH_MOST];
    path_of(directory, name, path);
    if (unlink(path) == 0)
        return;
    each(path, remove_all, context);
    (void)rmdir(path);
}

static void copy_file(const char *directory, const char *name, void *to) {
    char path[2 * PATH_MOST], block[4096];
    FILE *from = fopen(path_of(directory, name, path), "rb"), *copy = fopen(path_of(to, name, path), "wb");
    require(from != NULL && copy != NULL, "cannot copy a capsule");
    for (size_t got; (got = fread(block, 1, sizeof block, from)) > 0;)
        require(fwrite(block, 1, got, copy) == got, "cannot write a capsule");
    fclose(from);
    fclose(copy);
}

static void count(const char *directory, const char *name, void *context) {
    (void)directory;
    (void)name;
    ++*(size_t *)context;
}

/* ---- Runs ---- */

static verso_status run(size_t which, const char *directory, uint64_t limit, toy_result *result, uint64_t *advanced,
                        verso_error *error) {
    toy model;
    verso_run_options options;
    toy_open(&model, STEPS, !cases[which].unknown);
    verso_run_options_init(&options);
    options.spec = toy_spec(cases[which].kind, cases[which].unknown ? VERSO_UNKNOWN : STEPS, cases[which].slots);
    if (cases[which].unknown)
        options.spec.distance = options.spec.adjoint_distance = 1;
    options.spec.with_disk = cases[which].unknown;
    options.directory = directory;
    options.adjoint_distance = 3;
    options.step_limit = limit;
    options.foreground = true;
    verso_status status = verso_run(&model.program, &options, NULL, error);
    *result = toy_result_of(&model);
    *advanced = model.advanced;
    toy_close(&model);
    return status;
}

void made_begin(void) {
    char path[2 * PATH_MOST], name[8];
    toy_result result;
    uint64_t advanced;
    snprintf(folder, sizeof folder, "%s/verso-made-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    require(mkdtemp(folder) != NULL, "cannot make a folder");
    for (size_t i = 0; i < CASES; i++) {
        snprintf(name, sizeof name, "%zu", i);
        path_of(folder, name, path);
        require(run(i, path, cases[i].limit, &result, &advanced, NULL) == VERSO_STATUS_SUSPENDED,
                "a run is not suspended");
        strcat(path, "/journal");
        require(verso__journal_read(&verso__system_machine, path, &bases[i], NULL) == VERSO_STATUS_OK, "no journal");
        require(bases[i].commit_count >= 2, "too few restart points");
    }
}

void made_end(void) {
    for (size_t i = 0; i < CASES; i++)
        verso__journal_contents_free(&bases[i]);
    each(folder, remove_all, NULL);
    rmdir(folder);
}

/* ---- Choices ---- */

typedef struct source {
    const uint8_t *at;
    size_t left;
} source;

static uint8_t byte(source *from) {
    if (from->left == 0)
        return 0;
    from->left--;
    return *from->at++;
}

static uint64_t value(source *from) {
    static const uint64_t some[] = {0,
                                    1,
                                    2,
                                    3,
                                    STEPS / 2,
                                    STEPS - 1,
                                    STEPS,
                                    STEPS + 1,
                                    100,
                                    UINT64_C(1) << 31,
                                    UINT64_C(1) << 60,
                                    UINT64_C(1) << 63,
                                    UINT64_MAX - 1,
                                    UINT64_MAX};
    uint64_t word = 0;
    uint8_t choice = byte(from);
    if (choice < 128)
        return some[choice % (sizeof some / sizeof *some)];
    if (choice < 224)
        return byte(from) % (STEPS + 2);
    for (int i = 0; i < 8; i++)
        word = word << 8 | byte(from);
    return word;
}

/* ---- Records ---- */

typedef struct journal {
    unsigned char *bytes;
    size_t size;
    uint64_t records;
    verso_identity chain;
    uint64_t commits; /* the number of the last one */
} journal;

/* Returns where the payload of the next record begins; NULL if there is no room for it. */
static unsigned char *room(const journal *made, size_t size) {
    bool fits = size <= JOURNAL_MOST && made->size + VERSO_RECORD_FRAME + size <= JOURNAL_MOST;
    return fits ? made->bytes + made->size + VERSO_RECORD_BEFORE : NULL;
}

static void seal(journal *made, uint64_t type, size_t size) {
    verso__record_seal(made->bytes + made->size, (verso__record_type)type, made->records++, size, &made->chain);
    made->size += VERSO_RECORD_FRAME + size;
}

typedef struct draft {
    verso__commit commit;
    bool done;
    verso__live live[LIVE_MOST];
    unsigned char cursor[CURSOR_MOST];
} draft;

/* Changes a word of the cursor and corrects its checksum. */
static void change_cursor(draft *made, source *from) {
    size_t words = made->commit.cursor_size / VERSO_WORD;
    if (words < 2)
        return;
    unsigned char *at = made->cursor + VERSO_WORD * ((byte(from) | (size_t)byte(from) << 8) % (words - 1));
    verso__put_word(&at, value(from));
    at = made->cursor + (words - 1) * VERSO_WORD;
    verso__put_word(&at, verso__checksum(made->cursor, (words - 1) * VERSO_WORD));
}

static void change_live(draft *made, source *from) {
    if (made->commit.live_count == 0)
        return;
    verso__live *live = &made->live[byte(from) % made->commit.live_count];
    uint64_t word = value(from);
    switch (byte(from) % 4) {
    case 0: live->tier = (uint32_t)word; break;
    case 1: live->slot = word; break;
    case 2: live->from = live->to = word; break;
    default: live->to = word; break;
    }
}

/* Changes the number of entries in the list. */
static void change_list(draft *made, source *from) {
    size_t before = made->commit.live_count, now = byte(from) % (LIVE_MOST + 1);
    for (size_t i = before; i < now; i++)
        made->live[i] = before > 0 ? made->live[i % before] : (verso__live){0, i, i, i};
    made->commit.live_count = now;
}

static void change(draft *made, source *from) {
    verso__commit *commit = &made->commit;
    switch (byte(from) % 16) {
    case 0: commit->number = value(from); break;
    case 1: commit->suspended = !commit->suspended; break;
    case 2: commit->adjoint = value(from); break;
    case 3: commit->working = value(from); break;
    case 4: commit->pending.kind = (verso_action_kind)(byte(from) % 11); break;
    case 5: commit->pending.tier = (uint32_t)value(from); break;
    case 6: commit->pending.slot = value(from); break;
    case 7: commit->pending.from = value(from); break;
    case 8: commit->pending.to = value(from); break;
    case 9: commit->counts.reached = value(from); break;
    case 10: change_live(made, from); break;
    case 11: change_list(made, from); break;
    case 12: commit->cursor_size = commit->cursor_size > 8 ? commit->cursor_size - 8 : 0; break;
    case 13: made->done = !made->done; break;
    case 14: {
        uint64_t bits = value(from);
        memcpy(&commit->counts.seconds, &bits, sizeof bits);
        commit->counts.work_forward = value(from);
        break;
    }
    default: change_cursor(made, from); break;
    }
}

static void put_commit(journal *made, const verso__journal_contents *base, source *from, size_t changes) {
    static draft one;
    const verso__commit *truth = &base->commits[byte(from) % base->commit_count];
    require(truth->live_count <= LIVE_MOST && truth->cursor_size <= CURSOR_MOST, "a restart point is too large");
    one.commit = *truth;
    one.done = false;
    one.commit.number = made->commits + 1;
    memcpy(one.live, truth->live, truth->live_count * sizeof *one.live);
    memcpy(one.cursor, truth->cursor, truth->cursor_size);
    one.commit.live = one.live;
    one.commit.cursor = one.cursor;
    for (size_t i = 0; i < changes; i++)
        change(&one, from);
    unsigned char *payload = room(made, verso__record_commit_size(&one.commit));
    if (payload == NULL)
        return;
    verso__record_put_commit(payload, &one.commit, one.done);
    seal(made, VERSO_RECORD_COMMIT, verso__record_commit_size(&one.commit));
    made->commits = one.commit.number;
}

static void put_continued(journal *made, source *from) {
    unsigned char *payload = room(made, VERSO_RECORD_CONTINUED_SIZE);
    if (payload == NULL)
        return;
    made->commits = byte(from) % 2 == 0 ? made->commits : value(from);
    verso__record_put_continued(payload, &(verso__continued){.from = made->commits});
    seal(made, VERSO_RECORD_CONTINUED, VERSO_RECORD_CONTINUED_SIZE);
}

static void put_earlier(journal *made, source *from) {
    unsigned char *payload = room(made, VERSO_RECORD_EARLIER_SIZE);
    if (payload == NULL)
        return;
    made->commits = value(from);
    verso__record_put_earlier(payload, &(verso__earlier){.commits = made->commits, .restarts = value(from)});
    seal(made, VERSO_RECORD_EARLIER, VERSO_RECORD_EARLIER_SIZE);
}

static void put_anything(journal *made, source *from) {
    uint64_t type = byte(from) % 6;
    size_t size = byte(from);
    unsigned char *payload = room(made, size);
    if (payload == NULL)
        return;
    for (size_t i = 0; i < size; i++)
        payload[i] = byte(from);
    seal(made, type, size);
}

static void put_head(journal *made, verso__journal_head head, source *from) {
    uint8_t choice = byte(from);
    if (choice % 8 == 1)
        head.capsule_size = value(from);
    if (choice % 8 == 2)
        head.adjoint_size = value(from);
    if (choice % 8 == 3)
        head.places[byte(from) % VERSO_TIERS_MAX] = (verso_place)(byte(from) % 4);
    if (choice % 8 == 4)
        head.run.words[0] = value(from);
    unsigned char *payload = room(made, verso__record_head_size(&head));
    if (payload == NULL)
        return;
    verso__record_put_head(payload, &head);
    seal(made, VERSO_RECORD_HEAD, verso__record_head_size(&head));
}

static void write_journal(const char *path, const verso__journal_contents *base, source *from) {
    static unsigned char bytes[JOURNAL_MOST];
    journal made = {.bytes = bytes, .size = VERSO_JOURNAL_HEADER};
    verso__journal_put_header(bytes);
    made.chain = verso__checksum_wide(bytes, VERSO_JOURNAL_HEADER);
    put_head(&made, base->head, from);
    while (from->left > 0) {
        uint8_t choice = byte(from);
        switch (choice % 16) {
        case 0: put_continued(&made, from); break;
        case 1: put_earlier(&made, from); break;
        case 2: put_anything(&made, from); break;
        case 3: put_head(&made, base->head, from); break;
        default: put_commit(&made, base, from, choice / 16 % 4); break;
        }
    }
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(bytes, 1, made.size, file) == made.size, "cannot write a journal");
    fclose(file);
}

/* ---- Trying ---- */

static void check_end(size_t which, const char *directory, bool *right) {
    static toy_result expected;
    static bool known;
    toy_result result;
    uint64_t advanced;
    verso_error error = {0};
    if (!known)
        expected = toy_reference(STEPS);
    known = true;
    verso_status status = run(which, directory, 0, &result, &advanced, &error);
    *right = status == VERSO_STATUS_OK;
    if (*right)
        require(toy_equal(&result, &expected), "another gradient");
    else
        require(error.message[0] != '\0', "a refusal without a word");
    require(advanced < (uint64_t)100 * STEPS, "too many steps");
    size_t entries = 0;
    each(folder, count, &entries);
    require(entries == CASES + 1, "there are files outside of the directory");
}

bool made_try(const uint8_t *data, size_t size) {
    source from = {data, size};
    size_t which = byte(&from) % CASES;
    char base[2 * PATH_MOST], directory[2 * PATH_MOST], capsules[2 * PATH_MOST], path[2 * PATH_MOST], name[16];
    snprintf(name, sizeof name, "%zu/capsules", which);
    path_of(folder, name, base);
    path_of(folder, "run", directory);
    path_of(directory, "capsules", capsules);
    require(mkdir(directory, 0700) == 0 && mkdir(capsules, 0700) == 0, "cannot make a directory");
    each(base, copy_file, capsules);
    write_journal(path_of(directory, "journal", path), &bases[which], &from);
    bool right, again;
    verso_run_status seen = VERSO_RUN_STATUS_INIT;
    (void)verso_run_status_read(directory, &seen, NULL);
    check_end(which, directory, &right);
    check_end(which, directory, &again); /* continue from what the first has left */
    require(again || !right, "a finished run is refused");
    each(directory, remove_all, NULL);
    rmdir(directory);
    return right;
}
