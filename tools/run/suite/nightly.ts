/** Environment variable. If it is set, the tests that `make test` leaves out run too. */
export const NIGHTLY_VARIABLE = 'FLAGMETER_TEST_NIGHTLY';
