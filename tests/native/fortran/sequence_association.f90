! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! implicit interfaces with mismatched shapes, sequence association, statement functions, computed goto, entry, alternate return
      subroutine addv(n, a, b)
      integer n, i
      real*8 a(n), b(n)
      do 10 i = 1, n
   10 b(i) = b(i) + a(i)*a(i)
      end
      real*8 function fcore(x, n)
      implicit real*8 (a-h,o-z)
      dimension x(*), w(50,2)
      sq(z) = z*z
      do i = 1, n
        w(i,1) = x(i)
        w(i,2) = 0
      end do
      call addv(n, w(1,1), w(1,2))
      call addv(n-1, w(2,1), w(1,2))
      k = 2
      goto (100, 200, 300), k
  100 fcore = 1
      return
  200 s = 0
      do i = 1, n
        s = s + sq(w(i,2)) 
      end do
      fcore = s
      return
  300 fcore = 2
      end
      function f(x, n) result(s) bind(C, name="f")
      use iso_c_binding
      integer(c_size_t), value :: n
      real(c_double), intent(in) :: x(n)
      real(c_double) :: s
      real*8, external :: fcore
      s = fcore(x, int(n))
      end
