! A first gradient: how the range of a ball depends on how it is thrown. Compile it with
!     verso fc -O2 examples/fortran/first.f90 -o first
module throw
  implicit none
contains
  function range(x) result(distance)
    real(8), intent(in) :: x(:)   ! speed, angle and drag
    real(8) :: distance
    real(8) :: u, v, height
    real(8), parameter :: dt = 1d-3
    u = x(1) * cos(x(2))
    v = x(1) * sin(x(2))
    distance = 0
    height = 0
    do while (height >= 0)
      u = u - dt * x(3) * u * abs(u)
      v = v - dt * (9.81d0 + x(3) * v * abs(v))
      distance = distance + dt * u
      height = height + dt * v
    end do
    distance = distance - height * u / v   ! back to the ground
  end function
end module

program first
  use verso
  use throw
  implicit none
  real(8) :: x(3) = [20d0, 0.7d0, 0.01d0], gradient(3), distance
  type(verso_verdict) :: verdict
  call verso_gradient(range, x, gradient, distance)
  print '(a, f8.3)', 'distance', distance
  print '(a, 3f12.4)', 'by speed, angle, drag', gradient
  call verso_check(range, x, verdict)
  print '(a, l2)', 'checked', verdict%holds
end program
