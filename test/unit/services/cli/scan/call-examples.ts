type Examples = readonly (readonly [string, string])[];

/** A call of each SDK, with the name new-basket as a string. */
export const CALLS_BY_STRING: Examples = [
  ['Node', `if (unleash.isEnabled('new-basket', context)) {`],
  ['Node, variants', `const { payload } = unleash.getVariant("new-basket");`],
  ['Node, over two lines', `unleash.isEnabled(\n    'new-basket',`],
  ['Java', `if (unleash.isEnabled("new-basket")) {`],
  ['Spring', `@Toggle(name = "new-basket", alterBean = "newBasket")`],
  ['Go', `if unleash.IsEnabled("new-basket", unleash.WithFallback(true)) {`],
  ['Python', `client.is_enabled("new-basket", context)`],
  ['Python, named argument', `client.get_variant(feature_name="new-basket")`],
  ['Ruby', `if @unleash.is_enabled? "new-basket", context`],
  ['Ruby, short', `UNLEASH.enabled?('new-basket')`],
  ['Ruby, block', `UNLEASH.if_enabled 'new-basket' do`],
  ['.NET', `unleash.IsEnabled("new-basket", true)`],
  ['.NET, named argument', `unleash.IsEnabled(toggleName: "new-basket")`],
  ['PHP', `if ($unleash->isEnabled('new-basket')) {`],
  ['Rust, text', `client.is_enabled_str("new-basket", None, false)`],
  ['React', 'const isNew = useFlag(`new-basket`);'],
  ['React, variants', `const variant = useVariant('new-basket');`],
  ['OpenFeature in Node', `await client.getBooleanValue('new-basket', false)`],
  ['OpenFeature in TypeScript', `client.getObjectValue<Basket>('new-basket', {})`],
  ['OpenFeature in Java', `client.getStringDetails("new-basket", "")`],
  ['OpenFeature in Go', `client.BooleanValue(ctx, "new-basket", false, evalCtx)`],
  ['OpenFeature in Go, short', `client.Boolean(r.Context(), "new-basket", false, evalCtx)`],
  ['OpenFeature in Python', `client.get_boolean_value("new-basket", False)`],
  ['OpenFeature in Ruby', `client.fetch_boolean_value(flag_key: "new-basket", default_value: false)`],
  ['OpenFeature in .NET', `await client.GetBooleanValueAsync("new-basket", false)`],
  ['OpenFeature in PHP', `$client->getBooleanValue('new-basket', false)`],
  ['OpenFeature in Rust', `client.get_bool_value("new-basket", None, None)`],
  ['OpenFeature in React', `const isNew = useBooleanFlagValue('new-basket', false);`],
];

/** With the name new_basket as a symbol, or a variant of an enumeration. */
export const CALLS_BY_IDENTIFIER: Examples = [
  ['Ruby, symbol', `UNLEASH.enabled?(:new_basket)`],
  ['Rust', `client.is_enabled(Features::new_basket, None, false)`],
];
