import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { insteadOf } from '#lib/contracts/input/nearest';

/** @throws Error in our own words, where an option is unknown, lacks its value, or has one that it does not take */
export function readArguments<Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  const { tokens } = parseArgs({
    args,
    allowPositionals: true,
    strict: false,
    tokens: true,
    options: options as ParseArgsOptionsConfig,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (!Object.hasOwn(options, name))
      throw new Error(
        `No option "${rawName}". ${insteadOf(
          rawName,
          Object.keys(options).map((one) => `--${one}`),
          'the options',
        )} See toolmark --help`,
      );
    const takesValue = options[name]!.type === 'string';
    if (!takesValue && value !== undefined) throw new Error(`${rawName} takes no value.`);
    if (takesValue && !value) throw new Error(`${rawName} needs a value.`);
    if (takesValue && !inlineValue && value!.startsWith('-'))
      throw new Error(`${rawName} needs a value. Is "${value}" one? Then write ${rawName}=${value}`);
  }
  return parseArgs({ args, allowPositionals: true, options });
}
