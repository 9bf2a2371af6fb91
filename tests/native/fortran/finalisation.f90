! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Final procedures, defined assignment of components, allocatable components of polymorphic type.
module finalisation_test
  integer :: finished = 0
  type :: counted
    real(8) :: v = 1
  contains
    final :: finish
  end type
  type :: holder
    type(counted) :: part
  end type
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    type(holder) :: h
    call work(x, s)
    h%part = counted(x(1))
    h%part = counted(x(2) * 2)
    s = s + h%part%v ** 2 + x(3) * finished
  end function
  subroutine finish(c)
    type(counted), intent(inout) :: c
    finished = 1
    c%v = 0
  end subroutine
  subroutine work(x, s)
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: s
    type(counted), allocatable :: list(:)
    integer :: i
    allocate (list(3))
    do i = 1, 3
      list(i)%v = x(i) ** 2
    end do
    s = sum(list%v)
  end subroutine
end module
