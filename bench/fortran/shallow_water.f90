! A shallow-water model on 128 x 128 points, 100 steps.
module shallow_water
  use iso_c_binding
  implicit none
  integer, parameter :: nx = 128, ny = 128
contains
  subroutine step(u, v, h, dt)
    real(8), intent(inout) :: u(nx, ny), v(nx, ny), h(nx, ny)
    real(8), intent(in) :: dt
    real(8) :: un(nx, ny), vn(nx, ny), hn(nx, ny)
    integer :: i, j
    un = u
    vn = v
    hn = h
    do j = 2, ny - 1
      do i = 2, nx - 1
        un(i, j) = u(i, j) - dt * (u(i, j) * (u(i + 1, j) - u(i - 1, j)) * 0.5d0 &
          + v(i, j) * (u(i, j + 1) - u(i, j - 1)) * 0.5d0 + 9.8d0 * (h(i + 1, j) - h(i - 1, j)) * 0.5d0)
        vn(i, j) = v(i, j) - dt * (u(i, j) * (v(i + 1, j) - v(i - 1, j)) * 0.5d0 &
          + v(i, j) * (v(i, j + 1) - v(i, j - 1)) * 0.5d0 + 9.8d0 * (h(i, j + 1) - h(i, j - 1)) * 0.5d0)
        hn(i, j) = h(i, j) - dt * 0.5d0 * ((1 + h(i + 1, j)) * u(i + 1, j) - (1 + h(i - 1, j)) * u(i - 1, j) &
          + (1 + h(i, j + 1)) * v(i, j + 1) - (1 + h(i, j - 1)) * v(i, j - 1)) &
          + 0.01d0 * (h(i + 1, j) + h(i - 1, j) + h(i, j + 1) + h(i, j - 1) - 4 * h(i, j))
      end do
    end do
    u = un
    v = vn
    h = hn
  end subroutine
  function f(x, n) result(s) bind(c)
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8), allocatable :: u(:, :), v(:, :), h(:, :)
    integer :: t
    allocate (u(nx, ny), v(nx, ny), h(nx, ny))
    u = 0
    v = 0
    h = reshape(x, [nx, ny])
    do t = 1, 100
      call step(u, v, h, 0.002d0)
    end do
    s = sum(h * h) + sum(u * u)
  end function
end module
