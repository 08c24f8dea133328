/** The version of Kubernetes whose API the chart is checked with. */
export const KUBERNETES = '1.34.1';
/** The version of the Prometheus Operator whose kinds the chart is installed with. */
export const OPERATOR = '0.85.0';
