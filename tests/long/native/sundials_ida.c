/* at: 1,1,1
 * cuts: 12
 * noise: 1e-6
 * Through SUNDIALS' IDA: Robertson's reactions as a differential-algebraic equation, with the error norm frozen
 * (docs/adaptive-solvers.md).
 */
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <verso/native.h>

/* What IDA chooses its steps by. */
static realtype frozen_norm(N_Vector v, N_Vector weights) {
    return verso_frozen(N_VWrmsNorm_Serial(v, weights));
}

static int residual(realtype t, N_Vector u, N_Vector du, N_Vector rest, void *context) {
    const double *p = context, *y = N_VGetArrayPointer(u), *dy = N_VGetArrayPointer(du);
    double *r = N_VGetArrayPointer(rest);
    (void)t;
    r[0] = -0.04 * p[0] * y[0] + 1e4 * p[1] * y[1] * y[2] - dy[0];
    r[1] = 0.04 * p[0] * y[0] - 1e4 * p[1] * y[1] * y[2] - 3e7 * p[2] * y[1] * y[1] - dy[1];
    r[2] = y[0] + y[1] + y[2] - 1;
    return 0;
}

static int jacobian(realtype t, realtype c, N_Vector u, N_Vector du, N_Vector rest, SUNMatrix matrix, void *context,
                    N_Vector first, N_Vector second, N_Vector third) {
    const double *p = context, *y = N_VGetArrayPointer(u);
    (void)t, (void)du, (void)rest, (void)first, (void)second, (void)third;
    double by[3] = {-0.04 * p[0], 1e4 * p[1] * y[2], 1e4 * p[1] * y[1]};
    for (int j = 0; j < 3; j++) {
        double *column = SUNDenseMatrix_Column(matrix, j);
        column[0] = by[j] - (j == 0) * c;
        column[1] = -by[j] - (j == 1) * (6e7 * p[2] * y[1] + c);
        column[2] = 1;
    }
    return 0;
}

static double solve(void *solver, N_Vector u, N_Vector du, SUNLinearSolver linear, SUNMatrix matrix,
                    double *parameters) {
    const double *y = N_VGetArrayPointer(u);
    realtype reached;
    if (IDAInit(solver, residual, 0, u, du) != IDA_SUCCESS || IDASStolerances(solver, 1e-8, 1e-12) != IDA_SUCCESS ||
        IDASetUserData(solver, parameters) != IDA_SUCCESS || IDASetMaxNumSteps(solver, 5000) != IDA_SUCCESS ||
        IDASetLinearSolver(solver, linear, matrix) != IDA_SUCCESS || IDASetJacFn(solver, jacobian) != IDA_SUCCESS ||
        IDASetStopTime(solver, 40) != IDA_SUCCESS || IDASolve(solver, 40, &reached, u, du, IDA_NORMAL) < 0)
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
    u->ops->nvwrmsnorm = frozen_norm; /* vectors that are cloned have it, too */
    N_VConst(0, u);
    N_VGetArrayPointer(u)[0] = 1;
    N_Vector du = N_VClone(u);
    N_VConst(0, du);
    N_VGetArrayPointer(du)[0] = -0.04 * parameters[0];
    N_VGetArrayPointer(du)[1] = 0.04 * parameters[0];
    SUNMatrix matrix = SUNDenseMatrix(3, 3, context);
    SUNLinearSolver linear = SUNLinSol_Dense(u, matrix, context);
    void *solver = IDACreate(context);
    double result = solve(solver, u, du, linear, matrix, parameters);
    IDAFree(&solver);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(du);
    N_VDestroy(u);
    SUNContext_Free(&context);
    return result;
}
