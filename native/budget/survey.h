/* Surveys: the program is run ahead, without recording, to measure sizes or to count steps. A survey of a durable
 * run is stored in the run's directory, so that the next process continues it (survey.c). */
#ifndef NATIVE_BUDGET_SURVEY_H
#define NATIVE_BUDGET_SURVEY_H

#include "native/budget/durable.h"

/* Why the program is run ahead. */
typedef enum verso__survey_purpose {
    VERSO_SURVEY_NONE,
    VERSO_SURVEY_BEGINNING, /* to measure sizes, from the beginning, for some time */
    VERSO_SURVEY_COUNT,     /* to count the steps, from the beginning to the end */
    VERSO_SURVEY_GROWTH     /* to measure sizes, from the state that was too large to the end */
} verso__survey_purpose;

/* The results of surveys so far, and how far the current one has come. */
typedef struct verso__native_survey {
    verso_identity facts; /* checksum of what the run depends on */
    uint64_t purpose;     /* a verso__survey_purpose; VERSO_SURVEY_NONE: no capsule follows in the file */
    uint64_t leaf;        /* length of the steps in bytes */
    double seconds;       /* time spent for this purpose */
    uint64_t asked;       /* length of steps that was found to fit, in bytes; 0: none */
    bool surveyed;        /* the beginning of the run was surveyed */
    /* Largest sizes, as in verso__native_program_state. */
    uint64_t capsule, longer, whole;
    uint64_t cells;      /* cells_grown of verso__native_program_state */
    uint64_t begun_anew; /* how often the run began anew */
    uint64_t length;     /* length of the run in bytes; 0: not known */
    uint64_t size;       /* bytes of the capsule that follows in the file */
    /* Not in the file. Times are in seconds, of verso__now. */
    double began; /* when this process began the survey */
    double kept;  /* when the program's state was last stored */
    double cost;  /* duration of storing it */
} verso__native_survey;

/* Reads the head of a survey's file. Returns false if the bytes are not a valid file. */
bool verso__native_survey_take(const void *bytes, size_t size, verso__native_survey *survey);
/* Reads the results of earlier processes. Without a valid file, all fields except `facts` are zero. */
void verso__native_survey_open(const verso__native_durable *durable, verso__native_survey *survey);
/* Puts the program to where an earlier process left a survey with this purpose and this length of steps, and sets
 * *seconds. Returns false if there is none. */
bool verso__native_survey_resume(const verso__native_durable *durable, verso__survey_purpose purpose, uint64_t leaf,
                                 double *seconds);
/* Returns true if it is time to store the program's state again. `interval`: maximum seconds between two times. */
bool verso__native_survey_is_due(const verso__native_survey *survey, double interval);
/* Stores the results so far and the program's state. */
verso_status verso__native_survey_keep_place(verso__native_durable *durable, verso__native_survey *survey,
                                             verso_error *error);
/* Stores the results only. */
verso_status verso__native_survey_keep_sizes(verso__native_durable *durable, verso__native_survey *survey,
                                             verso_error *error);
/* Removes the file. */
void verso__native_survey_forget(const verso__native_durable *durable);

#endif
