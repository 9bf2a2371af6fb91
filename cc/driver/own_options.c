/* Implements own_options.h. cli/cc.c has the help texts of these options. */
#include "cc/driver/own_options.h"

#include "base/suggest.h"
#include "cc/passes_named.h"

#include <stdio.h>
#include <string.h>

typedef enum own {
    OWN_CHECK_RELOAD,
    OWN_DUMP,
    OWN_EXTERNALS,
    OWN_INACTIVE,
    OWN_KEEP,
    OWN_NOINLINE,
    OWN_OTHER_MAIN,
    OWN_PLAIN,
    OWN_PURE,
    OWN_SHOW,
    OWN_SYMBOLS,
    OWN_COUNT
} own;

static const struct {
    const char *name;
    const char *value; /* name of its value; NULL: takes none */
} own_options[OWN_COUNT] = {
    [OWN_CHECK_RELOAD] = {"check-reload", NULL},
    [OWN_DUMP] = {"dump", "PASS"},
    [OWN_EXTERNALS] = {"externals", NULL},
    [OWN_INACTIVE] = {"inactive", "NAME[,NAME]"},
    [OWN_KEEP] = {"keep", NULL},
    [OWN_NOINLINE] = {"noinline", "NAME[,NAME]"},
    [OWN_OTHER_MAIN] = {"other-main", NULL},
    [OWN_PLAIN] = {"plain", NULL},
    [OWN_PURE] = {"pure", "NAME[,NAME]"},
    [OWN_SHOW] = {"show", NULL},
    [OWN_SYMBOLS] = {"symbols", NULL},
};

/* Returns OWN_COUNT if there is no option of that name. */
static own find(const char *name, size_t size) {
    own found = 0;
    while (found < OWN_COUNT &&
           (strlen(own_options[found].name) != size || strncmp(own_options[found].name, name, size) != 0))
        found++;
    return found;
}

static void complain_unknown(const char *word, const char *name, size_t size, driver_words *complaint) {
    verso__suggestion suggestion;
    verso__suggest_begin(&suggestion, name, size);
    for (size_t i = 0; i < OWN_COUNT; i++)
        verso__suggest_word(&suggestion, own_options[i].name);
    if (suggestion.best != NULL)
        driver_words_print(complaint, "there is no option '%s'; did you mean '--verso-%s'?", word, suggestion.best);
    else
        driver_words_print(complaint, "there is no option '%s'; 'verso cc --help' lists those that begin with --verso-",
                           word);
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

/* Returns false if there is no such pass; the complaint then lists all passes. */
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

static void apply_option(driver_arguments *arguments, own option, const char *value) {
    switch (option) {
    case OWN_CHECK_RELOAD: arguments->check_reload = true; break;
    case OWN_DUMP: arguments->dump = driver_words_add(&arguments->pieces, value); break;
    case OWN_EXTERNALS: arguments->externals = true; break;
    case OWN_INACTIVE: add_names(&arguments->inactive, value); break;
    case OWN_KEEP: arguments->keep = true; break;
    case OWN_NOINLINE: add_names(&arguments->noinline, value); break;
    case OWN_OTHER_MAIN: arguments->other_main = true; break;
    case OWN_PLAIN: arguments->plain = true; break;
    case OWN_PURE: add_names(&arguments->pure, value); break;
    case OWN_SHOW: arguments->show = true; break;
    case OWN_SYMBOLS: arguments->symbols = true; break;
    case OWN_COUNT: break;
    }
}

/* Reads the option at all->at[*index]; if its value is the next argument, moves *index to it. */
static bool read_option(driver_arguments *arguments, const driver_words *all, size_t *index, driver_words *complaint) {
    const char *word = all->at[*index];
    const char *name = word + strlen("--verso-");
    size_t size = strcspn(name, "=");
    const char *value = name[size] == '=' ? name + size + 1 : NULL;
    own option = find(name, size);
    if (option == OWN_COUNT) {
        complain_unknown(word, name, size, complaint);
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
    apply_option(arguments, option, value);
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
