/* VLAD programs whose capsules contain everything that a capsule can contain, for tests that write capsules to bytes
 * and read them back. The value of a program is that of its last expression. */
#ifndef VERSO_TESTS_VLAD_CAPSULES_H
#define VERSO_TESTS_VLAD_CAPSULES_H

#define VLAD_PAIRS "(define (car (cons a b)) a) (define (cdr (cons a b)) b) "

/* Their input. */
#define VLAD_CAPSULES_INPUT "3 5 7 9 11 13"

static const char *const vlad_capsule_programs[] = {
    /* Frames of all kinds of expressions, locals, a loop. */
    "(let* ((x 3) ((cons a b) (cons x (* x 2)))) (let loop ((i 0) (s 0)) (if (> i b) (list s a #t '(1 (2) #f)) (loop "
    "(+ i "
    "1) (+ s (* i a))))))",
    /* Closures that capture, letrecs that share, siblings. */
    "(let ((k 2) (u 3)) (letrec ((e (lambda (n) (if (= n 0) (cons k u) (o (- n 1))))) (o (lambda (n) (if (= n 0) u (e "
    "(- "
    "n k)))))) (let ((f (lambda (x) (lambda (y) (- (* k x) y))))) (list e (f 1) (e 3) ((f 2) (o 0))))))",
    /* Vectors: old versions, one that holds another, in a frame of vector-map. */
    "(let* ((v (vector 1 2 3)) (w (vector-set v 0 v)) (u (vector-set w 2 (list v w)))) (cons (vector-map (lambda (x) "
    "(list "
    "x u)) (vector-set v 1 7)) (list u v w)))",
    /* j* and *j, one in the other: duals, reverse numbers, tapes. */
    VLAD_PAIRS "(j* (lambda (x) (cdr (*j (lambda (y) (* (* x y) (sin (* x y)))) 2 1))) 3 1)",
    VLAD_PAIRS
    "(*j (lambda (x) (let loop ((i 0) (y x)) (if (= i 20) y (loop (+ i 1) (* y (cdr (*j (lambda (z) (* z (+ z "
    "x))) x 1))))))) .25 1)",
    /* Players: counting, advancing, recording; one in another; with effects. */
    VLAD_PAIRS
    "(checkpoint-*j (lambda (x) (let loop ((i 0) (y x)) (if (= i 6) (write-real y) (loop (+ i 1) (* y x))))) 2 1)",
    VLAD_PAIRS "(checkpoint-*j (lambda (x) (cdr (checkpoint-*j (lambda (y) (* (* x y) (+ y (read-real)))) x 1))) 2 1)",
    VLAD_PAIRS
    "(*j (lambda ((list f v)) (car (checkpoint-*j (lambda (y) (* (f y) (vector-ref (vector-set v 0 y) 0))) 2 "
    "1))) (let ((a 3)) (list (lambda (x) (* a x)) (vector 1 2))) 1)",
};
enum { VLAD_CAPSULE_PROGRAMS = sizeof vlad_capsule_programs / sizeof *vlad_capsule_programs };

#endif
