/* at: 1,1,1
 * cuts: 12
 * noise: 1e-6
 * Through SUNDIALS' CVODE: Robertson's reactions. The step controller amplifies perturbations, so that the derivative
 * of the program, (-0.48, 0.036, 0.37), is far from that of the solution, (-0.055, 0.036, -0.064); without that of the
 * error norm it is right (docs/adaptive-solvers.md).
 */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <verso/native.h>

/* What CVODE chooses its steps by. */
static realtype frozen_norm(N_Vector v, N_Vector weights) {
    return verso_frozen(N_VWrmsNorm_Serial(v, weights));
}

static int rate(realtype t, N_Vector u, N_Vector du, void *context) {
    const double *p = context, *y = N_VGetArrayPointer(u);
    double *dy = N_VGetArrayPointer(du);
    (void)t;
    dy[0] = -0.04 * p[0] * y[0] + 1e4 * p[1] * y[1] * y[2];
    dy[2] = 3e7 * p[2] * y[1] * y[1];
    dy[1] = -dy[0] - dy[2];
    return 0;
}

static int jacobian(realtype t, N_Vector u, N_Vector du, SUNMatrix matrix, void *context, N_Vector first,
                    N_Vector second, N_Vector third) {
    const double *p = context, *y = N_VGetArrayPointer(u);
    double *column[3];
    (void)t, (void)du, (void)first, (void)second, (void)third;
    for (int j = 0; j < 3; j++)
        column[j] = SUNDenseMatrix_Column(matrix, j);
    column[0][0] = -0.04 * p[0];
    column[1][0] = 1e4 * p[1] * y[2];
    column[2][0] = 1e4 * p[1] * y[1];
    column[0][2] = column[2][2] = 0;
    column[1][2] = 6e7 * p[2] * y[1];
    for (int j = 0; j < 3; j++)
        column[j][1] = -column[j][0] - column[j][2];
    return 0;
}

static double solve(void *solver, N_Vector u, SUNLinearSolver linear, SUNMatrix matrix, double *parameters) {
    const double *y = N_VGetArrayPointer(u);
    realtype reached;
    if (CVodeInit(solver, rate, 0, u) != CV_SUCCESS || CVodeSStolerances(solver, 1e-8, 1e-12) != CV_SUCCESS ||
        CVodeSetUserData(solver, parameters) != CV_SUCCESS || CVodeSetMaxNumSteps(solver, 5000) != CV_SUCCESS ||
        CVodeSetLinearSolver(solver, linear, matrix) != CV_SUCCESS || CVodeSetJacFn(solver, jacobian) != CV_SUCCESS ||
        CVodeSetStopTime(solver, 40) != CV_SUCCESS || CVode(solver, 40, u, &reached, CV_NORMAL) < 0)
        return NAN;
    return y[0] + 1e4 * y[1] + y[2] * y[2];
}

double f(const double *x, size_t n) {
    double parameters[3];
    SUNContext context;
    for (size_t i = 0; i < n; i++)
        parameters[i] = x[i];
    if (SUNContext_Create(NULL, &context) != 0)
        return NAN;
    N_Vector u = N_VNew_Serial(3, context);
    SUNMatrix matrix = SUNDenseMatrix(3, 3, context);
    SUNLinearSolver linear = SUNLinSol_Dense(u, matrix, context);
    void *solver = CVodeCreate(CV_BDF, context);
    u->ops->nvwrmsnorm = frozen_norm; /* vectors that CVODE clones have it, too */
    N_VConst(0, u);
    N_VGetArrayPointer(u)[0] = 1;
    double result = solve(solver, u, linear, matrix, parameters);
    CVodeFree(&solver);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(u);
    SUNContext_Free(&context);
    return result;
}
