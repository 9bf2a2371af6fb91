/* See own_options.h. `verso cc --help` (cli/cc.c) describes what is read here. */
#include "cc/driver/own_options.h"
#include "cc/passes_named.h"

#include <stdio.h>
#include <string.h>

typedef enum own { OWN_DUMP, OWN_EXTERNALS, OWN_INACTIVE, OWN_KEEP, OWN_PLAIN, OWN_SHOW, OWN_COUNT } own;

static const struct {
    const char *name;
    const char *value; /* what its value is called; NULL: takes none */
} own_options[OWN_COUNT] = {
    [OWN_DUMP] = {"dump", "PASS"}, [OWN_EXTERNALS] = {"externals", NULL}, [OWN_INACTIVE] = {"inactive", "NAME[,NAME]"},
    [OWN_KEEP] = {"keep", NULL},   [OWN_PLAIN] = {"plain", NULL},         [OWN_SHOW] = {"show", NULL},
};

/* OWN_COUNT when there is none of that name. */
static own find(const char *name, size_t size) {
    own found = 0;
    while (found < OWN_COUNT &&
           (strlen(own_options[found].name) != size || strncmp(own_options[found].name, name, size) != 0))
        found++;
    return found;
}

static void add_names(driver_words *names, const char *list) {
    while (*list != '\0') {
        size_t size = strcspn(list, ",");
        if (size > 0)
            driver_words_add_part(names, list, size);
        list += size;
        list += *list == ',';
    }
}

/* False: there is no such pass; the complaint lists those that there are. */
static bool check_pass(const char *pass, driver_words *complaint) {
    static const char *const passes[] = {CC_PASSES_NAMED, CC_PASSES_ALL};
    char list[256] = "";
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        if (strcmp(pass, passes[i]) == 0)
            return true;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", passes[i]);
    }
    driver_words_print(complaint, "there is no pass '%s'; --verso-dump takes one of %s", pass, list);
    return false;
}

static void obey(driver_arguments *arguments, own option, const char *value) {
    switch (option) {
    case OWN_DUMP: arguments->dump = driver_words_add(&arguments->pieces, value); break;
    case OWN_EXTERNALS: arguments->externals = true; break;
    case OWN_INACTIVE: add_names(&arguments->inactive, value); break;
    case OWN_KEEP: arguments->keep = true; break;
    case OWN_PLAIN: arguments->plain = true; break;
    case OWN_SHOW: arguments->show = true; break;
    case OWN_COUNT: break;
    }
}

/* One option at all->at[*index], which is moved to its value when that is the next word. */
static bool read_option(driver_arguments *arguments, const driver_words *all, size_t *index, driver_words *complaint) {
    const char *word = all->at[*index];
    const char *name = word + strlen("--verso-");
    size_t size = strcspn(name, "=");
    const char *value = name[size] == '=' ? name + size + 1 : NULL;
    own option = find(name, size);
    if (option == OWN_COUNT) {
        driver_words_print(complaint, "there is no option '%s'; 'verso cc --help' lists those that begin with --verso-",
                           word);
        return false;
    }
    const char *wanted = own_options[option].value;
    if (wanted == NULL && value != NULL) {
        driver_words_print(complaint, "--verso-%s takes no value", own_options[option].name);
        return false;
    }
    if (wanted != NULL && value == NULL && *index + 1 < all->count)
        value = all->at[++*index];
    if (wanted != NULL && (value == NULL || value[0] == '\0')) {
        driver_words_print(complaint, "--verso-%s needs a value: --verso-%s=%s", own_options[option].name,
                           own_options[option].name, wanted);
        return false;
    }
    if (option == OWN_DUMP && !check_pass(value, complaint))
        return false;
    obey(arguments, option, value);
    return true;
}

bool driver_own_options_read(driver_arguments *arguments, const driver_words *all, driver_words *complaint) {
    for (size_t i = 0; i < all->count; i++)
        if (strncmp(all->at[i], "--verso-", strlen("--verso-")) != 0)
            driver_words_add(&arguments->words, all->at[i]);
        else if (!read_option(arguments, all, &i, complaint))
            return false;
    return true;
}
