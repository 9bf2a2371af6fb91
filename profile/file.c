/* See file.h. What is checked, field by field:
 *
 *   - a cell leads to cells before it, and to a node whose cells are before it: lists end, and calls within calls do
 *   - a node comes behind all that are within it; the last is the whole run, and only it
 *   - a node was called as often as the nodes around it say
 *   - no choice of sites has a peak above INT64_MAX, so neither sums nor differences of bytes overflow
 *   - seconds are finite and not below 0
 *   - names are there, and have no control characters: they are printed
 *
 * Each is found in one pass over the cells, however the lists share their ends. */
#include "profile/file.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/wide.h"
#include "base/words.h"
#include "profile/profile.h"

#include <fcntl.h>
#include <math.h>

static const uint64_t magic = 0x6672706f73726576; /* "versoprf" */

enum { FORMAT_VERSION = 2, HEADER_WORDS = 12, SITE_WORDS = 5, NODE_WORDS = 7, CELL_WORDS = 3 };

/* ---- Writing ---- */

static size_t text_size(const verso_profile *profile) {
    size_t size = 0;
    for (size_t i = 0; i < profile->count; i++)
        size += strlen(profile->sites[i].caller) + strlen(profile->sites[i].callee) + strlen(profile->sites[i].where);
    return size;
}

static void put_sites(unsigned char **at, const verso_profile *profile) {
    for (size_t i = 0; i < profile->count; i++) {
        const verso_site *site = &profile->sites[i];
        verso_put_word(at, strlen(site->caller));
        verso_put_word(at, strlen(site->callee));
        verso_put_word(at, strlen(site->where));
        verso_put_word(at, site->number);
        verso_put_word(at, (uint64_t)site->on | (uint64_t)site->always << 1);
    }
}

static void put_nodes(unsigned char **at, const verso_calltree *tree) {
    const verso_calltree_node *nodes = verso_calltree_nodes(tree);
    for (size_t i = 0; i < verso_calltree_count(tree); i++) {
        verso_put_word(at, nodes[i].site);
        verso_put_word(at, nodes[i].first);
        verso_put_word(at, nodes[i].snapshot);
        verso_put_word(at, nodes[i].behind);
        verso_put_word(at, nodes[i].straight);
        verso_put_word(at, nodes[i].calls);
        verso_put_double(at, nodes[i].seconds);
    }
}

static void put_cells(unsigned char **at, const verso_calltree *tree) {
    size_t count;
    const verso_calltree_cell *cells = verso_calltree_cells(tree, &count);
    for (size_t i = 0; i < count; i++) {
        verso_put_word(at, cells[i].node);
        verso_put_word(at, cells[i].next);
        verso_put_word(at, cells[i].before);
    }
}

static void put_text(unsigned char **at, const char *text) {
    size_t length = strlen(text);
    memcpy(*at, text, length);
    *at += length;
}

unsigned char *verso_profile_bytes(const verso_profile *profile, size_t *size) {
    size_t cells, nodes = verso_calltree_count(profile->tree), text = text_size(profile);
    verso_calltree_cells(profile->tree, &cells);
    size_t words = HEADER_WORDS + SITE_WORDS * profile->count + NODE_WORDS * nodes + CELL_WORDS * cells + 1;
    *size = words * VERSO_WORD + text;
    unsigned char *bytes = verso_alloc(*size, 1), *at = bytes;
    if (bytes == NULL)
        return NULL;
    verso_put_word(&at, magic);
    verso_put_word(&at, FORMAT_VERSION);
    verso_put_word(&at, profile->count);
    verso_put_word(&at, nodes);
    verso_put_word(&at, cells);
    verso_put_word(&at, text);
    verso_put_double(&at, profile->run.seconds);
    verso_put_double(&at, profile->run.forward);
    verso_put_double(&at, profile->run.copy);
    verso_put_double(&at, profile->run.touch);
    verso_put_word(&at, profile->run.beside);
    verso_put_word(&at, profile->run.divided);
    put_sites(&at, profile);
    put_nodes(&at, profile->tree);
    put_cells(&at, profile->tree);
    for (size_t i = 0; i < profile->count; i++) {
        put_text(&at, profile->sites[i].caller);
        put_text(&at, profile->sites[i].callee);
        put_text(&at, profile->sites[i].where);
    }
    verso_put_word(&at, verso_checksum(bytes, *size - VERSO_WORD));
    return bytes;
}

verso_status verso_profile_write(const verso_profile *profile, const char *path, verso_error *error) {
    size_t size;
    verso_file file;
    unsigned char *bytes = verso_profile_bytes(profile, &size);
    if (bytes == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the bytes of the profile.");
    verso_status status = verso_file_open(&verso_system_machine, path, O_WRONLY | O_CREAT | O_TRUNC, &file, error);
    if (status == VERSO_OK) {
        status = verso_file_write(&file, bytes, size, error);
        verso_status closed = verso_file_close(&file, status == VERSO_OK ? error : NULL);
        status = status == VERSO_OK ? closed : status;
    }
    verso_dealloc(bytes);
    return status;
}

/* ---- Reading ---- */

/* What is read, until it becomes a profile. */
typedef struct reading {
    verso_words words;
    size_t sites, nodes, cells, text;
    verso_profile_run run;
    verso_site *site;
    char *names; /* with a NUL behind each */
    verso_calltree_node *node;
    verso_calltree_cell *cell;
    /* By cell: the most that it and those behind it put on the stack, the highest peak and the highest node of theirs,
     * how often it was come to. */
    struct sums {
        uint64_t height, peak, times;
        uint32_t highest;
    } *sums;
    uint64_t *calls; /* by node: as those around it say */
} reading;

/* From 0 to `most`; a NaN is not. */
static bool is_between(double number, double most) {
    return number >= 0 && number <= most;
}

/* Sums of bytes with any peak stay below 2^64, and what they take finite. */
static bool run_holds(const verso_profile_run *run) {
    return is_between(run->seconds, 1e15) && is_between(run->forward, 1e15) && is_between(run->copy, 1) &&
           is_between(run->touch, 1) && run->beside <= INT64_MAX / 4 && run->divided <= INT64_MAX / 4;
}

/* Counts are held against the size before anything is made of them. */
static bool take_header(reading *r, size_t size) {
    (void)verso_take_word(&r->words); /* magic and version were looked at */
    (void)verso_take_word(&r->words);
    uint64_t sites = verso_take_word(&r->words), nodes = verso_take_word(&r->words);
    uint64_t cells = verso_take_word(&r->words), text = verso_take_word(&r->words);
    r->run.seconds = verso_take_double(&r->words);
    r->run.forward = verso_take_double(&r->words);
    r->run.copy = verso_take_double(&r->words);
    r->run.touch = verso_take_double(&r->words);
    r->run.beside = verso_take_word(&r->words);
    r->run.divided = verso_take_word(&r->words);
    uint64_t most = size / VERSO_WORD;
    if (r->words.over || sites > most || nodes > most || cells > most || text > size || nodes == 0 ||
        most >= VERSO_CALLTREE_NONE || !run_holds(&r->run))
        return false;
    uint64_t words = HEADER_WORDS + SITE_WORDS * sites + NODE_WORDS * nodes + CELL_WORDS * cells + 1;
    r->sites = (size_t)sites, r->nodes = (size_t)nodes, r->cells = (size_t)cells, r->text = (size_t)text;
    return words <= most && words * VERSO_WORD + text == size;
}

static bool make_room(reading *r) {
    r->site = verso_alloc(r->sites + 1, sizeof *r->site);
    r->names = verso_alloc(r->text + 3 * r->sites + 1, 1);
    r->node = verso_alloc(r->nodes, sizeof *r->node);
    r->cell = verso_alloc(r->cells + 1, sizeof *r->cell);
    r->sums = verso_alloc(r->cells + 1, sizeof *r->sums);
    r->calls = verso_alloc(r->nodes, sizeof *r->calls);
    return r->site != NULL && r->names != NULL && r->node != NULL && r->cell != NULL && r->sums != NULL &&
           r->calls != NULL;
}

/* Takes one name off the text. */
static bool take_name(const unsigned char **text, size_t *left, uint64_t length, char **at, const char **name) {
    if (length == 0 || length > *left)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((*text)[i] < ' ' || (*text)[i] == 0x7f)
            return false;
    *name = *at;
    memcpy(*at, *text, (size_t)length);
    *at += length + 1; /* the room is zeroed */
    *text += length;
    *left -= (size_t)length;
    return true;
}

static bool take_sites(reading *r, const unsigned char *text) {
    size_t left = r->text;
    char *at = r->names;
    for (size_t i = 0; i < r->sites; i++) {
        uint64_t caller = verso_take_word(&r->words), callee = verso_take_word(&r->words);
        uint64_t where = verso_take_word(&r->words);
        r->site[i].number = verso_take_word(&r->words);
        uint64_t on = verso_take_word(&r->words);
        if (on > 3 || on == 2 || !take_name(&text, &left, caller, &at, &r->site[i].caller) ||
            !take_name(&text, &left, callee, &at, &r->site[i].callee) ||
            !take_name(&text, &left, where, &at, &r->site[i].where))
            return false;
        r->site[i].on = (on & 1) != 0;
        r->site[i].always = on > 1;
    }
    return left == 0;
}

/* An index below `limit`, or NONE. */
static bool take_index(verso_words *words, size_t limit, uint32_t *index) {
    uint64_t word = verso_take_word(words);
    *index = (uint32_t)word;
    return word < limit || word == VERSO_CALLTREE_NONE;
}

static bool take_nodes(reading *r) {
    double seconds = 0;
    for (size_t i = 0; i < r->nodes; i++) {
        verso_calltree_node *node = &r->node[i];
        bool fits = take_index(&r->words, r->sites, &node->site) && take_index(&r->words, r->cells, &node->first);
        node->snapshot = verso_take_word(&r->words);
        node->behind = verso_take_word(&r->words);
        node->straight = verso_take_word(&r->words);
        node->calls = verso_take_word(&r->words);
        node->seconds = verso_take_double(&r->words);
        seconds += node->seconds;
        bool whole = node->site == VERSO_CALLTREE_NONE;
        if (!fits || whole != (i + 1 == r->nodes) || !(node->seconds >= 0) || !isfinite(seconds))
            return false;
    }
    return true;
}

static bool take_cells(reading *r) {
    for (uint32_t i = 0; i < r->cells; i++) {
        verso_calltree_cell *cell = &r->cell[i];
        if (!take_index(&r->words, r->nodes, &cell->node) || cell->node == VERSO_CALLTREE_NONE ||
            !take_index(&r->words, i, &cell->next))
            return false;
        cell->before = verso_take_word(&r->words);
        uint32_t within = r->node[cell->node].first;
        if (within != VERSO_CALLTREE_NONE && within >= i)
            return false;
    }
    return true;
}

/* What is known of a list of cells; of none, nothing. */
static struct sums sums_from(const reading *r, uint32_t first) {
    return first != VERSO_CALLTREE_NONE ? r->sums[first] : (struct sums){0};
}

/* The most that a node puts on the stack, and a bound of its peak. */
static struct sums bounds_of(const reading *r, const verso_calltree_node *node) {
    struct sums sums = sums_from(r, node->first);
    sums.height = verso_add_u64(sums.height, verso_max_u64(node->behind, node->straight));
    sums.peak = verso_add_u64(sums.height, sums.peak);
    return sums;
}

static bool add_up(reading *r) {
    for (size_t i = 0; i < r->cells; i++) {
        const verso_calltree_cell *cell = &r->cell[i];
        const verso_calltree_node *within = &r->node[cell->node];
        struct sums of = bounds_of(r, within), behind = sums_from(r, cell->next), *sums = &r->sums[i];
        uint64_t snapshot = verso_add_u64(within->snapshot, VERSO_CALLTREE_NOTE);
        sums->height = verso_add_u64(verso_add_u64(cell->before, verso_max_u64(snapshot, of.height)), behind.height);
        sums->peak = verso_max_u64(of.peak, behind.peak);
        sums->highest = cell->node > behind.highest ? cell->node : behind.highest;
    }
    for (size_t i = 0; i < r->nodes; i++) {
        const verso_calltree_node *node = &r->node[i];
        struct sums sums = sums_from(r, node->first);
        if ((node->first != VERSO_CALLTREE_NONE && sums.highest >= i) || bounds_of(r, node).peak > INT64_MAX)
            return false;
    }
    return true;
}

/* From the whole run down: lists from their beginnings, so that those with equal ends add up. */
static bool count_calls(reading *r) {
    uint64_t total = 0;
    for (size_t i = 0; i < r->nodes; i++)
        if (r->node[i].first != VERSO_CALLTREE_NONE) {
            uint64_t *times = &r->sums[r->node[i].first].times;
            *times = verso_add_u64(*times, r->node[i].calls);
        }
    for (size_t i = r->cells; i-- > 0;) {
        uint64_t times = r->sums[i].times, *calls = &r->calls[r->cell[i].node];
        *calls = verso_add_u64(*calls, times);
        if (r->cell[i].next != VERSO_CALLTREE_NONE)
            r->sums[r->cell[i].next].times = verso_add_u64(r->sums[r->cell[i].next].times, times);
    }
    r->calls[r->nodes - 1] = 1;
    for (size_t i = 0; i < r->nodes; i++) {
        total = verso_add_u64(total, r->node[i].calls);
        if (r->node[i].calls == 0 || r->node[i].calls != r->calls[i])
            return false;
    }
    return total < UINT64_MAX;
}

static bool take_all(reading *r, const unsigned char *text) {
    return take_sites(r, text) && take_nodes(r) && take_cells(r) && add_up(r) && count_calls(r);
}

static verso_status check_frame(const unsigned char *bytes, size_t size, const char *path, verso_error *error) {
    verso_words words = {.at = bytes, .left = size};
    uint64_t found = verso_take_word(&words), version = verso_take_word(&words);
    if (words.over || found != magic)
        return verso_fail(error, VERSO_CORRUPT, "'%s' is not a profile of Verso", path);
    if (version != FORMAT_VERSION)
        return verso_fail(error, VERSO_CORRUPT, "the profile '%s' has format %llu; this Verso reads only %d", path,
                          (unsigned long long)version, FORMAT_VERSION);
    if (size < (HEADER_WORDS + 1) * VERSO_WORD)
        return verso_fail(error, VERSO_CORRUPT, "the profile '%s' is cut off", path);
    words.at = bytes + size - VERSO_WORD;
    words.left = VERSO_WORD;
    if (verso_take_word(&words) != verso_checksum(bytes, size - VERSO_WORD))
        return verso_fail(error, VERSO_CORRUPT, "the profile '%s' is damaged: its checksum does not fit", path);
    return VERSO_OK;
}

verso_status verso_profile_parse(const void *bytes, size_t size, const char *path, verso_profile **profile,
                                 verso_error *error) {
    reading r = {.words = {.at = bytes, .left = size}};
    *profile = NULL;
    verso_status status = check_frame(bytes, size, path, error);
    if (status != VERSO_OK)
        return status;
    bool holds = take_header(&r, size), room = holds && make_room(&r);
    if (room)
        holds = take_all(&r, (const unsigned char *)bytes + size - VERSO_WORD - r.text);
    if (!holds)
        status = verso_fail(error, VERSO_CORRUPT, "the profile '%s' holds what no profile can", path);
    else if (room) {
        verso_calltree *tree = verso_calltree_of(r.node, r.nodes, r.cell, r.cells);
        r.node = NULL;
        r.cell = NULL;
        *profile = tree != NULL ? verso_profile_new(tree, r.site, r.sites, &r.run) : NULL;
    }
    if (holds && *profile == NULL)
        status = verso_fail(error, VERSO_NO_MEMORY, "no memory for the profile '%s'.", path);
    verso_dealloc(r.site);
    verso_dealloc(r.names);
    verso_dealloc(r.node);
    verso_dealloc(r.cell);
    verso_dealloc(r.sums);
    verso_dealloc(r.calls);
    return status;
}

verso_status verso_profile_read(const char *path, verso_profile **profile, verso_error *error) {
    char *bytes;
    size_t size;
    *profile = NULL;
    verso_status status = verso_file_whole(&verso_system_machine, path, &bytes, &size, error);
    if (status == VERSO_OK)
        status = verso_profile_parse(bytes, size, path, profile, error);
    verso_dealloc(bytes);
    return status;
}
