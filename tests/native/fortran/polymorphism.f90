! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Type extension, type-bound procedures, deferred bindings, SELECT TYPE, allocation by source, class(*).
module polymorphism_test
  type, abstract :: shape
    real(8) :: name = 1
  contains
    procedure(area_of), deferred :: area
    procedure :: grow => grow_shape
  end type
  abstract interface
    function area_of(self)
      import shape
      class(shape), intent(in) :: self
      real(8) :: area_of
    end function
  end interface
  type, extends(shape) :: circle
    real(8) :: radius
  contains
    procedure :: area => circle_area
    procedure :: grow => grow_circle
  end type
  type, extends(shape) :: square
    real(8) :: side
  contains
    procedure :: area => square_area
  end type
  type :: box
    class(shape), allocatable :: item
  end type
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    type(box) :: list(2)
    class(*), allocatable :: any
    class(shape), allocatable :: copy
    integer :: i
    allocate (list(1)%item, source=circle(name=x(1), radius=x(2)))
    allocate (square :: list(2)%item)
    select type (q => list(2)%item)
    type is (square)
      q%side = x(3) ** 2
      q%name = x(5)
    end select
    s = 0
    do i = 1, 2
      call list(i)%item%grow(x(4))
      s = s + list(i)%item%area() * i
      select type (q => list(i)%item)
      class is (circle)
        s = s + q%radius ** 3
      class default
        s = s + x(6)
      end select
    end do
    allocate (copy, source=list(2)%item)
    copy = list(1)%item
    allocate (any, source=x(5) * 3)
    select type (any)
    type is (real(8))
      s = s + any ** 2
    end select
    s = s + copy%area()
    if (.not. same_type_as(copy, list(1)%item)) s = 0
  end function
  subroutine grow_shape(self, by)
    class(shape), intent(inout) :: self
    real(8), intent(in) :: by
    self%name = self%name * by
  end subroutine
  subroutine grow_circle(self, by)
    class(circle), intent(inout) :: self
    real(8), intent(in) :: by
    self%radius = self%radius + by ** 2
    self%name = self%name * by
  end subroutine
  function circle_area(self) result(a)
    class(circle), intent(in) :: self
    real(8) :: a
    a = 3.14d0 * self%radius ** 2 * self%name
  end function
  function square_area(self) result(a)
    class(square), intent(in) :: self
    real(8) :: a
    a = self%side ** 2 * self%name
  end function
end module
