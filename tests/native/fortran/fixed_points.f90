! at: 0.6,0.9,0.3,1.2
! A fixed point over several arrays, one with a mask and a scale, whose step contains a linear system; and linear systems
! with several right-hand sides and a direct solver.
module fixed_points_test
  use verso
  implicit none
  integer, parameter :: m = 6
  real(8), target, save :: u(m, 2), v(m), level, force, coupling
  logical, target, save :: wet(m, 2)
  real(8), save :: stiff
  real(8), target, save :: matrix(m, m)
contains
  ! Contracts u where it is wet, v and level.
  subroutine step
    integer :: i
    real(8) :: old(m, 2)
    old = u
    do i = 1, m
      if (wet(i, 1)) u(i, 1) = 0.3d0 * cos(old(i, 2)) * coupling + 0.2d0 * v(i) + force * i
      if (wet(i, 2)) u(i, 2) = 0.25d0 * sin(old(i, 1)) + 0.1d0 * level * old(max(i - 1, 1), 1)
    end do
    v = 0.5d0 * v * coupling + 0.1d0 * u(:, 1)
    level = 0.3d0 * level + 0.01d0 * sum(u, wet)
  end subroutine

  subroutine tridiagonal(x, y)
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y(:)
    integer :: n
    n = size(x)
    y = (2 + stiff) * x
    y(2:) = y(2:) - x(:n - 1)
    y(:n - 1) = y(:n - 1) - x(2:)
  end subroutine

  ! Conjugate gradients.
  subroutine iterate(transposed, b, x, solved)
    logical, intent(in) :: transposed
    real(8), intent(in) :: b(:)
    real(8), intent(inout) :: x(:)
    logical, intent(out) :: solved
    real(8) :: r(size(b)), p(size(b)), q(size(b)), old, new
    integer :: i
    if (transposed) error stop 'the matrix is symmetric'
    call tridiagonal(x, q)
    r = b - q
    p = r
    new = sum(r ** 2)
    do i = 1, 200
      if (new < 1d-30) exit
      call tridiagonal(p, q)
      old = new
      x = x + new / sum(p * q) * p
      r = r - new / sum(p * q) * q
      new = sum(r ** 2)
      p = r + new / old * p
    end do
    solved = new < 1d-24
  end subroutine

  subroutine multiply(x, y)
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y(:)
    y = matmul(matrix, x)
  end subroutine

  ! Elimination without pivots.
  subroutine eliminate(transposed, b, x, solved)
    logical, intent(in) :: transposed
    real(8), intent(in) :: b(:)
    real(8), intent(inout) :: x(:)
    logical, intent(out) :: solved
    real(8) :: a(m, m)
    integer :: i, j
    a = matrix
    if (transposed) a = transpose(matrix)
    x = b
    do i = 1, m
      do j = i + 1, m
        x(j) = x(j) - a(j, i) / a(i, i) * x(i)
        a(j, :) = a(j, :) - a(j, i) / a(i, i) * a(i, :)
      end do
    end do
    do i = m, 1, -1
      x(i) = (x(i) - sum(a(i, i + 1:) * x(i + 1:))) / a(i, i)
    end do
    solved = .true.
  end subroutine

  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: b(m), y(m), two(m, 2), z(m, 2)
    integer :: i, steps
    u = 1
    v = 0
    level = 0.5d0
    wet = .true.
    wet(2, 1) = .false.
    wet(5, :) = .false.
    u(5, 1) = x(4)
    force = 0.1d0 * x(1)
    coupling = x(2)
    stiff = x(3)
    call verso_fixed_point(step, [verso_part_of(u, wet), verso_part_of(v, scale=10d0), verso_part_of(level)], &
      tolerance=1d-14, steps=steps)
    if (steps == 0) error stop 'no fixed point'
    b = u(:, 1) * x(4) + v
    y = 0
    call verso_linear_solve(tridiagonal, iterate, b, y, symmetric=.true., tolerance=1d-10)
    matrix = 0
    do i = 1, m
      matrix(i, i) = 4 + x(2) * i
      if (i > 1) matrix(i, i - 1) = x(1)
      if (i > 2) matrix(i - 2, i) = y(i)
    end do
    two(:, 1) = u(:, 2)
    two(:, 2) = y * x(3)
    call verso_linear_solve(multiply, eliminate, two, z, kept=[verso_kept(matrix)])
    matrix = 1
    s = sum(z ** 2) + sum(u * z) + level + sum(v * y)
  end function
end module
