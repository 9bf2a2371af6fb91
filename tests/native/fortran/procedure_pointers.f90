! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Procedures as arguments, procedure pointers, also in types, abstract interfaces.
module procedure_pointers_test
  abstract interface
    function scalar(v)
      real(8), intent(in) :: v
      real(8) :: scalar
    end function
  end interface
  type :: handler
    procedure(scalar), pointer, nopass :: act => null()
  end type
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    procedure(scalar), pointer :: g
    type(handler) :: h(2)
    integer :: i
    g => square
    h(1)%act => cube
    h(2)%act => g
    s = twice(g, x(1)) + twice(cube, x(2))
    do i = 1, 2
      s = s + h(i)%act(x(i + 2)) * x(5)
    end do
    g => h(1)%act
    if (associated(g, cube)) s = s + g(x(6))
  end function
  function twice(g, v)
    procedure(scalar) :: g
    real(8), intent(in) :: v
    real(8) :: twice
    twice = g(g(v))
  end function
  function square(v)
    real(8), intent(in) :: v
    real(8) :: square
    square = v * v
  end function
  function cube(v)
    real(8), intent(in) :: v
    real(8) :: cube
    cube = v ** 3 + v
  end function
end module
