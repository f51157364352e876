C SPDX-License-Identifier: Apache-2.0
C swim in Fortran 77 style: the shallow-water equations on a periodic
C square, finite differences after R. Sadourny, J. Atmos. Sci. 32
C (1975). The same model as swim.c, array for array, loop for loop.
C
C     swim [size [steps]]     size up to NMAX, default 512; steps 100
C
C Prints a checksum that does not depend on the number of threads.
      PROGRAM SWIM
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      INTEGER STEP

      CALL SETUP
      CALL INITAL
      DO 10 STEP = 1, STEPS
        CALL CALC1
        CALL CALC2
        IF (STEP .EQ. 1) THEN
          CALL CALC3Z
        ELSE
          CALL CALC3
        END IF
   10 CONTINUE
      CALL CHECK
      END

C Constants and the two arguments.
      SUBROUTINE SETUP
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      INTEGER NMAX, BAD
      PARAMETER (NMAX = 1335)
      CHARACTER*32 TEXT

      N = 512
      STEPS = 100
      BAD = 0
      IF (COMMAND_ARGUMENT_COUNT() .GE. 1) THEN
        CALL GET_COMMAND_ARGUMENT(1, TEXT)
        READ (TEXT, *, IOSTAT=BAD) N
      END IF
      IF (COMMAND_ARGUMENT_COUNT() .GE. 2 .AND. BAD .EQ. 0) THEN
        CALL GET_COMMAND_ARGUMENT(2, TEXT)
        READ (TEXT, *, IOSTAT=BAD) STEPS
      END IF
      IF (BAD .NE. 0 .OR. N .LT. 4 .OR. N .GT. NMAX .OR.
     &    STEPS .LT. 1) THEN
        WRITE (0, '(A,I0,A)') 'usage: swim [size, 4 to ', NMAX,
     &    ' [steps]]'
        CALL EXIT(2)
      END IF
      DT = 90.D0
      TDT = DT
      DX = 1.D5
      DY = 1.D5
      ALPHA = .001D0
      END

C First values, from a stream function.
      SUBROUTINE INITAL
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      DOUBLE PRECISION PI, A, DI, DJ, EL, PCF
      INTEGER I, J

      PI = 4.D0 * ATAN(1.D0)
      A = 1.D6
      DI = 2.D0 * PI / N
      DJ = 2.D0 * PI / N
      EL = N * DX
      PCF = PI * PI * A * A / (EL * EL)
!$OMP PARALLEL DO PRIVATE(I)
      DO 20 J = 1, N + 1
        DO 10 I = 1, N + 1
          PSI(I,J) = A * SIN((I - .5D0) * DI) * SIN((J - .5D0) * DJ)
          P(I,J) = PCF * (COS(2.D0 * (I - 1) * DI)
     &      + COS(2.D0 * (J - 1) * DJ)) + 50000.D0
   10   CONTINUE
   20 CONTINUE
!$OMP PARALLEL DO PRIVATE(I)
      DO 40 J = 1, N
        DO 30 I = 1, N
          U(I+1,J) = -(PSI(I+1,J+1) - PSI(I+1,J)) / DY
          V(I,J+1) = (PSI(I+1,J+1) - PSI(I,J+1)) / DX
   30   CONTINUE
   40 CONTINUE
      CALL PERCOL(U, N)
      CALL PERROW(V, N)
!$OMP PARALLEL DO PRIVATE(I)
      DO 60 J = 1, N + 1
        DO 50 I = 1, N + 1
          UOLD(I,J) = U(I,J)
          VOLD(I,J) = V(I,J)
          POLD(I,J) = P(I,J)
   50   CONTINUE
   60 CONTINUE
      END

C Mass fluxes, potential vorticity and Bernoulli function.
      SUBROUTINE CALC1
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      DOUBLE PRECISION FSDX, FSDY
      INTEGER I, J

      FSDX = 4.D0 / DX
      FSDY = 4.D0 / DY
!$OMP PARALLEL DO PRIVATE(I)
      DO 20 J = 1, N
        DO 10 I = 1, N
          CU(I+1,J) = .5D0 * (P(I+1,J) + P(I,J)) * U(I+1,J)
          CV(I,J+1) = .5D0 * (P(I,J+1) + P(I,J)) * V(I,J+1)
          Z(I+1,J+1) = (FSDX * (V(I+1,J+1) - V(I,J+1))
     &      - FSDY * (U(I+1,J+1) - U(I+1,J)))
     &      / (P(I,J) + P(I+1,J) + P(I+1,J+1) + P(I,J+1))
          H(I,J) = P(I,J) + .25D0 * (U(I+1,J) * U(I+1,J)
     &      + U(I,J) * U(I,J) + V(I,J+1) * V(I,J+1) + V(I,J) * V(I,J))
   10   CONTINUE
   20 CONTINUE
      CALL PERCOL(CU, N)
      CALL PERROW(CV, N)
      CALL PERLOW(Z, N)
      CALL PERHIG(H, N)
      END

C The next time level.
      SUBROUTINE CALC2
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      DOUBLE PRECISION TDTS8, TDTSDX, TDTSDY
      INTEGER I, J

      TDTS8 = TDT / 8.D0
      TDTSDX = TDT / DX
      TDTSDY = TDT / DY
!$OMP PARALLEL DO PRIVATE(I)
      DO 20 J = 1, N
        DO 10 I = 1, N
          UNEW(I+1,J) = UOLD(I+1,J) + TDTS8 * (Z(I+1,J+1) + Z(I+1,J))
     &      * (CV(I+1,J+1) + CV(I,J+1) + CV(I,J) + CV(I+1,J))
     &      - TDTSDX * (H(I+1,J) - H(I,J))
          VNEW(I,J+1) = VOLD(I,J+1) - TDTS8 * (Z(I+1,J+1) + Z(I,J+1))
     &      * (CU(I+1,J+1) + CU(I,J+1) + CU(I,J) + CU(I+1,J))
     &      - TDTSDY * (H(I,J+1) - H(I,J))
          PNEW(I,J) = POLD(I,J) - TDTSDX * (CU(I+1,J) - CU(I,J))
     &      - TDTSDY * (CV(I,J+1) - CV(I,J))
   10   CONTINUE
   20 CONTINUE
      CALL PERCOL(UNEW, N)
      CALL PERROW(VNEW, N)
      CALL PERHIG(PNEW, N)
      END

C After the first step: no smoothing yet, and the time step doubles.
      SUBROUTINE CALC3Z
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      INTEGER I, J

      TDT = TDT + TDT
!$OMP PARALLEL DO PRIVATE(I)
      DO 20 J = 1, N + 1
        DO 10 I = 1, N + 1
          UOLD(I,J) = U(I,J)
          VOLD(I,J) = V(I,J)
          POLD(I,J) = P(I,J)
          U(I,J) = UNEW(I,J)
          V(I,J) = VNEW(I,J)
          P(I,J) = PNEW(I,J)
   10   CONTINUE
   20 CONTINUE
      END

C Smoothing in time, and one step forward.
      SUBROUTINE CALC3
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      INTEGER I, J

!$OMP PARALLEL DO PRIVATE(I)
      DO 20 J = 1, N + 1
        DO 10 I = 1, N + 1
          UOLD(I,J) = U(I,J)
     &      + ALPHA * (UNEW(I,J) - 2.D0 * U(I,J) + UOLD(I,J))
          VOLD(I,J) = V(I,J)
     &      + ALPHA * (VNEW(I,J) - 2.D0 * V(I,J) + VOLD(I,J))
          POLD(I,J) = P(I,J)
     &      + ALPHA * (PNEW(I,J) - 2.D0 * P(I,J) + POLD(I,J))
          U(I,J) = UNEW(I,J)
          V(I,J) = VNEW(I,J)
          P(I,J) = PNEW(I,J)
   10   CONTINUE
   20 CONTINUE
      END

C Periodic boundary of a field known at (2..N+1, 1..N).
      SUBROUTINE PERCOL(F, N)
      INTEGER NMAX, NP, N, I, J
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION F(NP,NP)

      DO 10 J = 1, N
        F(1,J) = F(N+1,J)
   10 CONTINUE
      DO 20 I = 1, N + 1
        F(I,N+1) = F(I,1)
   20 CONTINUE
      END

C Periodic boundary of a field known at (1..N, 2..N+1).
      SUBROUTINE PERROW(F, N)
      INTEGER NMAX, NP, N, I, J
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION F(NP,NP)

      DO 10 I = 1, N
        F(I,1) = F(I,N+1)
   10 CONTINUE
      DO 20 J = 1, N + 1
        F(N+1,J) = F(1,J)
   20 CONTINUE
      END

C Periodic boundary of a field known at (2..N+1, 2..N+1).
      SUBROUTINE PERLOW(F, N)
      INTEGER NMAX, NP, N, I, J
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION F(NP,NP)

      DO 10 J = 2, N + 1
        F(1,J) = F(N+1,J)
   10 CONTINUE
      DO 20 I = 1, N + 1
        F(I,1) = F(I,N+1)
   20 CONTINUE
      END

C Periodic boundary of a field known at (1..N, 1..N).
      SUBROUTINE PERHIG(F, N)
      INTEGER NMAX, NP, N, I, J
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION F(NP,NP)

      DO 10 J = 1, N
        F(N+1,J) = F(1,J)
   10 CONTINUE
      DO 20 I = 1, N + 1
        F(I,N+1) = F(I,1)
   20 CONTINUE
      END

C Serial, so that the sums are added in one order.
      SUBROUTINE CHECK
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      DOUBLE PRECISION PCHECK, UCHECK, VCHECK
      INTEGER I, J

      PCHECK = 0.D0
      UCHECK = 0.D0
      VCHECK = 0.D0
      DO 20 J = 1, N
        DO 10 I = 1, N
          PCHECK = PCHECK + ABS(PNEW(I,J))
          UCHECK = UCHECK + ABS(UNEW(I,J))
          VCHECK = VCHECK + ABS(VNEW(I,J))
   10   CONTINUE
   20 CONTINUE
      WRITE (*, '(A,I0,A,I0,A,I0,A)') 'swim ', N, ' x ', N, ', ',
     &  STEPS, ' steps'
      WRITE (*, '(3(A,ES16.10E2))') 'checksum p ', PCHECK,
     &  ' u ', UCHECK, ' v ', VCHECK
      END
