/** Environment variable for the folder in which processes of one run leave each other emptied databases. */
export const EMPTIED_VARIABLE = 'FLAGMETER_TEST_EMPTIED';
