/* See file.h. Reading checks that
 *
 *   - the list of a cell leads only to earlier cells, and its node's list is earlier: all lists and nested calls end
 *   - a node comes after all nodes within it; the last node, and only that, is the whole run
 *   - in the list of a node, every step of a fixed point that begins ends
 *   - a node's number of calls agrees with those of the nodes around it
 *   - no choice of sites has a peak above INT64_MAX, so that sums and differences of bytes do not overflow
 *   - seconds are finite and not negative
 *   - a profile that was not cut covers the whole run
 *   - names are not empty and contain no control characters, because they are printed
 *
 * Each check takes one pass over the cells, however lists share their ends. */
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

enum { FORMAT_VERSION = 5, HEADER_WORDS = 15, SITE_WORDS = 5, NODE_WORDS = 8, CELL_WORDS = 3 };

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
        verso__put_word(at, strlen(site->caller));
        verso__put_word(at, strlen(site->callee));
        verso__put_word(at, strlen(site->where));
        verso__put_word(at, site->number);
        verso__put_word(at, (uint64_t)site->on | (uint64_t)site->always << 1 | (uint64_t)site->never << 2);
    }
}

static void put_nodes(unsigned char **at, const verso__calltree *tree) {
    const verso__calltree_node *nodes = verso__calltree_nodes(tree);
    for (size_t i = 0; i < verso__calltree_count(tree); i++) {
        verso__put_word(at, nodes[i].site);
        verso__put_word(at, nodes[i].first);
        verso__put_word(at, nodes[i].snapshot);
        verso__put_word(at, nodes[i].after_on);
        verso__put_word(at, nodes[i].after_off);
        verso__put_word(at, nodes[i].calls);
        verso__put_double(at, nodes[i].seconds);
        verso__put_double(at, nodes[i].missing);
    }
}

static void put_cells(unsigned char **at, const verso__calltree *tree) {
    size_t count;
    const verso__calltree_cell *cells = verso__calltree_cells(tree, &count);
    for (size_t i = 0; i < count; i++) {
        verso__put_word(at, cells[i].node);
        verso__put_word(at, cells[i].next);
        verso__put_word(at, cells[i].before);
    }
}

static void put_text(unsigned char **at, const char *text) {
    size_t length = strlen(text);
    memcpy(*at, text, length);
    *at += length;
}

unsigned char *verso__profile_bytes(const verso_profile *profile, size_t *size) {
    size_t cells, nodes = verso__calltree_count(profile->tree), text = text_size(profile);
    verso__calltree_cells(profile->tree, &cells);
    size_t words = HEADER_WORDS + SITE_WORDS * profile->count + NODE_WORDS * nodes + CELL_WORDS * cells + 1;
    *size = words * VERSO_WORD + text;
    unsigned char *bytes = verso__alloc(*size, 1), *at = bytes;
    if (bytes == NULL)
        return NULL;
    verso__put_word(&at, magic);
    verso__put_word(&at, FORMAT_VERSION);
    verso__put_word(&at, profile->count);
    verso__put_word(&at, nodes);
    verso__put_word(&at, cells);
    verso__put_word(&at, text);
    verso__put_double(&at, profile->run.seconds);
    verso__put_double(&at, profile->run.forward);
    verso__put_double(&at, profile->run.copy);
    verso__put_double(&at, profile->run.touch);
    verso__put_word(&at, profile->run.beside);
    verso__put_word(&at, profile->run.divided);
    verso__put_double(&at, profile->run.beyond);
    verso__put_word(&at, (uint64_t)profile->run.cut | (uint64_t)profile->run.open << 1);
    verso__put_word(&at, profile->run.capsule);
    put_sites(&at, profile);
    put_nodes(&at, profile->tree);
    put_cells(&at, profile->tree);
    for (size_t i = 0; i < profile->count; i++) {
        put_text(&at, profile->sites[i].caller);
        put_text(&at, profile->sites[i].callee);
        put_text(&at, profile->sites[i].where);
    }
    verso__put_word(&at, verso__checksum(bytes, *size - VERSO_WORD));
    return bytes;
}

verso_status verso_profile_write(const verso_profile *profile, const char *path, verso_error *error) {
    size_t size;
    verso__file file;
    unsigned char *bytes = verso__profile_bytes(profile, &size);
    if (bytes == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the bytes of the profile");
    verso_status status = verso__file_open(&verso__system_machine, path, O_WRONLY | O_CREAT | O_TRUNC, &file, error);
    if (status == VERSO_STATUS_OK) {
        status = verso__file_write(&file, bytes, size, error);
        verso_status closed = verso__file_close(&file, status == VERSO_STATUS_OK ? error : NULL);
        status = status == VERSO_STATUS_OK ? closed : status;
    }
    verso__dealloc(bytes);
    return status;
}

/* ---- Reading ---- */

/* Data read so far. */
typedef struct reading {
    verso__words words;
    size_t sites, nodes, cells, text;
    verso__profile_run run;
    verso_site *site;
    char *names; /* the texts, each followed by a NUL */
    verso__calltree_node *node;
    verso__calltree_cell *cell;
    /* By cell: bounds for the cell and those after it in its list (bytes on the stack, highest peak, highest node
     * index), how often the cell is reached, and how many steps of fixed points end that do not begin there. */
    struct sums {
        uint64_t height, peak, times;
        uint32_t highest, ends;
    } *sums;
    uint64_t *calls; /* by node: number of calls computed from the nodes around it */
} reading;

/* Returns whether 0 <= number <= most; false for NaN. */
static bool is_between(double number, double most) {
    return number >= 0 && number <= most;
}

/* Returns whether the run's fields are in range, so that sums of bytes stay below 2^64 and times finite. */
static bool is_run_valid(const verso__profile_run *run) {
    return is_between(run->seconds, 1e15) && is_between(run->forward, 1e15) && is_between(run->copy, 1) &&
           is_between(run->touch, 1) && run->beside <= INT64_MAX / 4 && run->divided <= INT64_MAX / 4 &&
           run->capsule <= INT64_MAX / 4 && is_between(run->beyond, VERSO_CALLTREE_MISSING) &&
           (run->cut || run->beyond == 0);
}

/* Reads the header and compares the counts with the size of the file before any memory is allocated for them. */
static bool take_header(reading *r, size_t size) {
    (void)verso__take_word(&r->words); /* magic and version are already checked */
    (void)verso__take_word(&r->words);
    uint64_t sites = verso__take_word(&r->words), nodes = verso__take_word(&r->words);
    uint64_t cells = verso__take_word(&r->words), text = verso__take_word(&r->words);
    r->run.seconds = verso__take_double(&r->words);
    r->run.forward = verso__take_double(&r->words);
    r->run.copy = verso__take_double(&r->words);
    r->run.touch = verso__take_double(&r->words);
    r->run.beside = verso__take_word(&r->words);
    r->run.divided = verso__take_word(&r->words);
    r->run.beyond = verso__take_double(&r->words);
    uint64_t cut = verso__take_word(&r->words);
    r->run.cut = (cut & 1) != 0, r->run.open = (cut & 2) != 0;
    r->run.capsule = verso__take_word(&r->words);
    uint64_t most = size / VERSO_WORD;
    if (r->words.over || sites > most || nodes > most || cells > most || text > size || nodes == 0 ||
        most >= VERSO_CALLTREE_NONE || cut > 3 || cut == 2 || !is_run_valid(&r->run))
        return false;
    uint64_t words = HEADER_WORDS + SITE_WORDS * sites + NODE_WORDS * nodes + CELL_WORDS * cells + 1;
    r->sites = (size_t)sites, r->nodes = (size_t)nodes, r->cells = (size_t)cells, r->text = (size_t)text;
    return words <= most && words * VERSO_WORD + text == size;
}

static bool make_room(reading *r) {
    r->site = verso__alloc(r->sites + 1, sizeof *r->site);
    r->names = verso__alloc(r->text + 3 * r->sites + 1, 1);
    r->node = verso__alloc(r->nodes, sizeof *r->node);
    r->cell = verso__alloc(r->cells + 1, sizeof *r->cell);
    r->sums = verso__alloc(r->cells + 1, sizeof *r->sums);
    r->calls = verso__alloc(r->nodes, sizeof *r->calls);
    return r->site != NULL && r->names != NULL && r->node != NULL && r->cell != NULL && r->sums != NULL &&
           r->calls != NULL;
}

/* Copies one name from the text and advances. */
static bool take_name(const unsigned char **text, size_t *left, uint64_t length, char **at, const char **name) {
    if (length == 0 || length > *left)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((*text)[i] < ' ' || (*text)[i] == 0x7f)
            return false;
    *name = *at;
    memcpy(*at, *text, (size_t)length);
    *at += length + 1; /* the NUL is there already */
    *text += length;
    *left -= (size_t)length;
    return true;
}

static bool take_sites(reading *r, const unsigned char *text) {
    size_t left = r->text;
    char *at = r->names;
    for (size_t i = 0; i < r->sites; i++) {
        uint64_t caller = verso__take_word(&r->words), callee = verso__take_word(&r->words);
        uint64_t where = verso__take_word(&r->words);
        r->site[i].number = verso__take_word(&r->words);
        uint64_t on = verso__take_word(&r->words);
        if (on > 4 || on == 2 || !take_name(&text, &left, caller, &at, &r->site[i].caller) ||
            !take_name(&text, &left, callee, &at, &r->site[i].callee) ||
            !take_name(&text, &left, where, &at, &r->site[i].where))
            return false;
        r->site[i].on = (on & 1) != 0;
        r->site[i].always = on == 3;
        r->site[i].never = on == 4;
    }
    return left == 0;
}

/* Reads an index, which must be below `limit` or NONE. */
static bool take_index(verso__words *words, size_t limit, uint32_t *index) {
    uint64_t word = verso__take_word(words);
    *index = (uint32_t)word;
    return word < limit || word == VERSO_CALLTREE_NONE;
}

static bool take_nodes(reading *r) {
    double seconds = 0;
    for (size_t i = 0; i < r->nodes; i++) {
        verso__calltree_node *node = &r->node[i];
        bool fits = take_index(&r->words, r->sites, &node->site) && take_index(&r->words, r->cells, &node->first);
        node->snapshot = verso__take_word(&r->words);
        node->after_on = verso__take_word(&r->words);
        node->after_off = verso__take_word(&r->words);
        node->calls = verso__take_word(&r->words);
        node->seconds = verso__take_double(&r->words);
        node->missing = verso__take_double(&r->words);
        seconds += node->seconds;
        bool whole = node->site == VERSO_CALLTREE_NONE;
        if (!fits || whole != (i + 1 == r->nodes) || !(node->seconds >= 0) || !isfinite(seconds) ||
            !is_between(node->missing, r->run.cut ? VERSO_CALLTREE_MISSING : 0))
            return false;
    }
    return true;
}

static bool take_cells(reading *r) {
    for (uint32_t i = 0; i < r->cells; i++) {
        verso__calltree_cell *cell = &r->cell[i];
        uint64_t node = verso__take_word(&r->words);
        cell->node = (uint32_t)node;
        bool is_mark = node == VERSO_CALLTREE_FIXED || node == VERSO_CALLTREE_FIXED_END;
        if ((!is_mark && node >= r->nodes) || !take_index(&r->words, i, &cell->next))
            return false;
        cell->before = verso__take_word(&r->words);
        uint32_t within = is_mark ? VERSO_CALLTREE_NONE : r->node[cell->node].first;
        if (within != VERSO_CALLTREE_NONE && within >= i)
            return false;
    }
    return true;
}

/* Returns the bounds of a list of cells; zeros for an empty list. */
static struct sums sums_from(const reading *r, uint32_t first) {
    return first != VERSO_CALLTREE_NONE ? r->sums[first] : (struct sums){0};
}

/* Returns bounds of the height and the peak of a node. */
static struct sums bounds_of(const reading *r, const verso__calltree_node *node) {
    struct sums sums = sums_from(r, node->first);
    sums.height = verso__add_u64(sums.height, verso__max_u64(node->after_on, node->after_off));
    sums.height = verso__calltree_extrapolate(sums.height, node->missing);
    sums.peak = verso__add_u64(sums.height, sums.peak);
    return sums;
}

/* Adds a mark before the list of which `sums` has the bounds. Returns false if nothing ends what begins here. */
static bool add_mark(struct sums *sums, const verso__calltree_cell *mark) {
    sums->height = verso__add_u64(mark->before, sums->height);
    if (mark->node == VERSO_CALLTREE_FIXED)
        return sums->ends-- > 0;
    sums->ends++;
    return true;
}

/* The same for a call. */
static void add_call(const reading *r, struct sums *sums, const verso__calltree_cell *cell) {
    const verso__calltree_node *within = &r->node[cell->node];
    struct sums of = bounds_of(r, within);
    uint64_t snapshot = verso__add_u64(within->snapshot, VERSO_CALLTREE_NOTE);
    sums->height = verso__add_u64(verso__add_u64(cell->before, verso__max_u64(snapshot, of.height)), sums->height);
    sums->peak = verso__max_u64(verso__add_u64(of.peak, VERSO_CALLTREE_ABOVE), sums->peak);
    sums->highest = cell->node > sums->highest ? cell->node : sums->highest;
}

static bool compute_bounds(reading *r) {
    for (size_t i = 0; i < r->cells; i++) {
        const verso__calltree_cell *cell = &r->cell[i];
        r->sums[i] = sums_from(r, cell->next);
        if (!verso__calltree_is_mark(cell->node))
            add_call(r, &r->sums[i], cell);
        else if (!add_mark(&r->sums[i], cell))
            return false;
    }
    for (size_t i = 0; i < r->nodes; i++) {
        const verso__calltree_node *node = &r->node[i];
        struct sums sums = sums_from(r, node->first);
        if (sums.ends != 0 || (node->first != VERSO_CALLTREE_NONE && sums.highest >= i) ||
            bounds_of(r, node).peak > INT64_MAX)
            return false;
    }
    return true;
}

/* Counts calls from the whole run downwards: each list from its beginning, so that shared ends add up. */
static bool count_calls(reading *r) {
    uint64_t total = 0;
    for (size_t i = 0; i < r->nodes; i++)
        if (r->node[i].first != VERSO_CALLTREE_NONE) {
            uint64_t *times = &r->sums[r->node[i].first].times;
            *times = verso__add_u64(*times, r->node[i].calls);
        }
    for (size_t i = r->cells; i-- > 0;) {
        uint64_t times = r->sums[i].times;
        if (!verso__calltree_is_mark(r->cell[i].node))
            r->calls[r->cell[i].node] = verso__add_u64(r->calls[r->cell[i].node], times);
        if (r->cell[i].next != VERSO_CALLTREE_NONE)
            r->sums[r->cell[i].next].times = verso__add_u64(r->sums[r->cell[i].next].times, times);
    }
    r->calls[r->nodes - 1] = 1;
    for (size_t i = 0; i < r->nodes; i++) {
        total = verso__add_u64(total, r->node[i].calls);
        if (r->node[i].calls == 0 || r->node[i].calls != r->calls[i])
            return false;
    }
    return total < UINT64_MAX;
}

static bool take_all(reading *r, const unsigned char *text) {
    return take_sites(r, text) && take_nodes(r) && take_cells(r) && compute_bounds(r) && count_calls(r);
}

static verso_status check_frame(const unsigned char *bytes, size_t size, const char *path, verso_error *error) {
    verso__words words = {.at = bytes, .left = size};
    uint64_t found = verso__take_word(&words), version = verso__take_word(&words);
    if (words.over || found != magic)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' is not a profile of Verso", path);
    if (version != FORMAT_VERSION)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "the profile '%s' has format %llu; this Verso reads only %d",
                           path, (unsigned long long)version, FORMAT_VERSION);
    if (size < (HEADER_WORDS + 1) * VERSO_WORD)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "the profile '%s' is truncated", path);
    words.at = bytes + size - VERSO_WORD;
    words.left = VERSO_WORD;
    if (verso__take_word(&words) != verso__checksum(bytes, size - VERSO_WORD))
        return verso__fail(error, VERSO_STATUS_CORRUPT, "the profile '%s' is damaged: its checksum is wrong", path);
    return VERSO_STATUS_OK;
}

verso_status verso__profile_parse(const void *bytes, size_t size, const char *path, verso_profile **profile,
                                  verso_error *error) {
    reading r = {.words = {.at = bytes, .left = size}};
    *profile = NULL;
    verso_status status = check_frame(bytes, size, path, error);
    if (status != VERSO_STATUS_OK)
        return status;
    bool valid = take_header(&r, size), room = valid && make_room(&r);
    if (room)
        valid = take_all(&r, (const unsigned char *)bytes + size - VERSO_WORD - r.text);
    if (!valid)
        status = verso__fail(error, VERSO_STATUS_CORRUPT, "the profile '%s' is damaged: its contents are inconsistent",
                             path);
    else if (room) {
        verso__calltree *tree = verso__calltree_from_parts(r.node, r.nodes, r.cell, r.cells);
        r.node = NULL;
        r.cell = NULL;
        *profile = tree != NULL ? verso__profile_new(tree, r.site, r.sites, &r.run) : NULL;
    }
    if (valid && *profile == NULL)
        status = verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the profile '%s'", path);
    verso__dealloc(r.site);
    verso__dealloc(r.names);
    verso__dealloc(r.node);
    verso__dealloc(r.cell);
    verso__dealloc(r.sums);
    verso__dealloc(r.calls);
    return status;
}

verso_status verso_profile_read(const char *path, verso_profile **profile, verso_error *error) {
    char *bytes;
    size_t size;
    *profile = NULL;
    verso_status status = verso__file_whole(&verso__system_machine, path, &bytes, &size, error);
    if (status == VERSO_STATUS_OK)
        status = verso__profile_parse(bytes, size, path, profile, error);
    verso__dealloc(bytes);
    return status;
}
