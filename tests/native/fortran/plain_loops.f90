! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! plain loops, bind(C)
module m1
  use iso_c_binding
contains
  function f(x, n) result(s) bind(C, name="f")
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    integer :: i
    s = 0
    do i = 1, int(n)-1
      s = s + 100*(x(i+1)-x(i)**2)**2 + (1-x(i))**2
    end do
  end function
end module
