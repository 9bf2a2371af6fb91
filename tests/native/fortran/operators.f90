! at: 0.5,0.9,-0.3,0.7
! Defined operators and assignment, generic names, overloaded intrinsics, type-bound generics, abstract types and
! deferred procedures, constructors with the name of the type, parameterised constants, enumerations.
module dual_numbers
  implicit none
  type :: dual
    real(8) :: v = 0, d = 0
  contains
    procedure, private :: plus_dual, plus_real
    generic :: operator(+) => plus_dual, plus_real
    procedure :: norm => norm_of
  end type
  interface dual
    module procedure from_real
  end interface
  interface operator(*)
    module procedure times, scaled
  end interface
  interface operator(.dot.)
    module procedure dotted
  end interface
  interface assignment(=)
    module procedure take_value
  end interface
  interface sin
    module procedure sin_dual
  end interface
contains
  elemental function from_real(v) result(r)
    real(8), intent(in) :: v
    type(dual) :: r
    r%v = v
    r%d = 1
  end function
  elemental function plus_dual(a, b) result(r)
    class(dual), intent(in) :: a
    type(dual), intent(in) :: b
    type(dual) :: r
    r%v = a%v + b%v
    r%d = a%d + b%d
  end function
  elemental function plus_real(a, b) result(r)
    class(dual), intent(in) :: a
    real(8), intent(in) :: b
    type(dual) :: r
    r%v = a%v + b
    r%d = a%d
  end function
  elemental function times(a, b) result(r)
    type(dual), intent(in) :: a, b
    type(dual) :: r
    r%v = a%v * b%v
    r%d = a%v * b%d + a%d * b%v
  end function
  elemental function scaled(a, b) result(r)
    real(8), intent(in) :: a
    type(dual), intent(in) :: b
    type(dual) :: r
    r%v = a * b%v
    r%d = a * b%d
  end function
  pure function dotted(a, b) result(r)
    type(dual), intent(in) :: a(:), b(:)
    type(dual) :: r
    integer :: i
    do i = 1, size(a)
      r = r + a(i) * b(i)
    end do
  end function
  elemental subroutine take_value(to, from)
    real(8), intent(out) :: to
    type(dual), intent(in) :: from
    to = from%v + 2 * from%d
  end subroutine
  elemental function sin_dual(a) result(r)
    type(dual), intent(in) :: a
    type(dual) :: r
    r%v = sin(a%v)
    r%d = cos(a%v) * a%d
  end function
  function norm_of(this) result(r)
    class(dual), intent(in) :: this
    real(8) :: r
    r = sqrt(this%v ** 2 + this%d ** 2)
  end function
end module
module shapes
  implicit none
  enum, bind(c)
    enumerator :: small = 1, large = 4
  end enum
  type, abstract :: shape_type
    real(8) :: size
  contains
    procedure(measure), deferred :: area
    procedure :: twice
  end type
  abstract interface
    function measure(this) result(a)
      import :: shape_type
      class(shape_type), intent(in) :: this
      real(8) :: a
    end function
  end interface
  type, extends(shape_type) :: disc
  contains
    procedure :: area => disc_area
  end type
  type, extends(shape_type) :: box
    real(8) :: other
  contains
    procedure :: area => box_area
  end type
contains
  function twice(this) result(a)
    class(shape_type), intent(in) :: this
    real(8) :: a
    a = 2 * this%area()
  end function
  function disc_area(this) result(a)
    class(disc), intent(in) :: this
    real(8) :: a
    a = acos(-1d0) * this%size ** 2
  end function
  function box_area(this) result(a)
    class(box), intent(in) :: this
    real(8) :: a
    a = this%size * this%other
  end function
end module
module operators_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    use dual_numbers
    use shapes
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    type(dual) :: a(4), b
    class(shape_type), allocatable :: one
    integer :: i
    a = dual(x(1:4))
    b = a .dot. (2d0 * a)
    b = sin(b * a(1)) + a(2) + x(3)
    s = b
    s = s + b%norm()
    do i = small, large
      if (mod(i, 2) == 0) then
        one = disc(x(i))
      else
        one = box(size=x(i), other=x(1))
      end if
      s = s + one%twice() * i
    end do
  end function
end module
