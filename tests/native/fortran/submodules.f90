! at: 0.5,0.9,-0.3
! Submodules, separate module procedures, modules that use others with other names, constants of modules.
module base_test
  implicit none
  real(8), parameter :: gravity = 9.81d0
  real(8), protected :: depth = 2
  interface
    module function wave(v) result(r)
      real(8), intent(in) :: v
      real(8) :: r
    end function
  end interface
contains
  subroutine set_depth(v)
    real(8), intent(in) :: v
    depth = v
  end subroutine
end module
submodule (base_test) inner
  real(8) :: kept = 1
contains
  module procedure wave
    r = sqrt(gravity * depth) * v + kept * v ** 2
  end procedure
end submodule
module user_test
  use base_test, only: speed => wave, set_depth, gravity
  implicit none
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    call set_depth(x(1) ** 2 + 1)
    s = speed(x(2)) + gravity * x(3)
  end function
end module
