! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! common block, data, save, block data, equivalence; F77 style with sub_ symbol
      subroutine model(n)
      implicit none
      integer n, i, t
      real*8 u(100), v(100), w(100)
      common /state/ u, v
      equivalence (w(1), u(1))
      real*8 dt
      save dt
      data dt /0.05d0/
      do t = 1, 20
        do i = 1, n
          v(i) = v(i) - dt*sin(u(i))
          u(i) = w(i) + dt*v(i)
        end do
      end do
      end
      real*8 function fcore(x, n)
      implicit none
      integer n, i
      real*8 x(*), u(100), v(100)
      common /state/ u, v
      do i = 1, n
        u(i) = x(i)
        v(i) = 0
      end do
      call model(n)
      fcore = 0
      do i = 1, n
        fcore = fcore + u(i)*u(i)
      end do
      end
      function f(x, n) result(s) bind(C, name="f")
      use iso_c_binding
      integer(c_size_t), value :: n
      real(c_double), intent(in) :: x(n)
      real(c_double) :: s
      real*8, external :: fcore
      s = fcore(x, int(n))
      end
