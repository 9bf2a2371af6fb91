! at: 0.5,0.9,-0.3
! cuts: 40
! An adaptive integrator with a procedure pointer, arrays that grow, EXIT, and output within a long run.
module stepping_test
  type :: history
    real(8), allocatable :: times(:), states(:, :)
  end type
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    type(history) :: past
    real(8) :: y(2), t, h
    integer :: i, unit
    open (newunit=unit, status='scratch')
    y = x(1:2)
    t = 0
    h = 0.05d0
    allocate (past%times(0), past%states(2, 0))
    do i = 1, 200
      if (t > 3) exit
      y = y + h * slope(y + 0.5d0 * h * slope(y, x(3)), x(3))
      t = t + h
      h = merge(0.04d0, 0.06d0, mod(i, 3) == 0)
      past%times = [past%times, t]
      past%states = reshape([past%states, y], [2, size(past%states, 2) + 1])
      write (unit, *) i, t
    end do
    close (unit)
    s = sum(past%states ** 2) / size(past%times) + sum(past%states(1, :) * past%times) / 10
  end function
  pure function slope(y, k) result(d)
    real(8), intent(in) :: y(2), k
    real(8) :: d(2)
    d = [y(2), k * (1 - y(1) ** 2) * y(2) - y(1)]
  end function
end module
