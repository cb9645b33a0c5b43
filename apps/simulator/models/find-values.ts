/** A span of a prompt that looks like a value. */
export interface Found {
  kind: 'quoted' | 'email' | 'url' | 'file' | 'id' | 'date' | 'time' | 'duration' | 'number' | 'name';
  text: string;
  /** Numbers as numbers, dates as YYYY-MM-DD if known, times as HH:MM. */
  value: string | number;
  start: number;
  end: number;
  /** Up to three words before it, lower-case. */
  before: string;
  /** The word after it, lower-case. */
  after: string;
}

const NUMBER_WORDS: Record<string, number> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  sixty: 60,
};
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|' +
  'aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const DAY = `(?:${WEEKDAYS.join('|')})`;

/** Capitalised words that begin sentences or name days, and so are not names. */
const NOT_NAMES = new Set(
  (
    "i i'm i'd i've what whats what's who where when which why how is are do does did can could " +
    'would will should please find search look ' +
    'show list get give tell send write email mail book schedule create add make set put cancel ' +
    'delete remove move rename share open ' +
    'check compare convert forecast weather temperature track order refund return reply forward ' +
    'invite update change hi hello hey thanks thank the a an my our your ' +
    'it in on at for from to with and or also let remind read list any there put need has have am pm ' +
    'celsius fahrenheit kelvin ' +
    `today tomorrow kg usd ${WEEKDAYS.join(' ')} ${MONTHS.join(' ')}`
  ).split(' '),
);

/** `needs` is a quick test of whether the pattern can match at all. */
type Reader = {
  kind: Found['kind'];
  needs?: RegExp;
  pattern: RegExp;
  value?: (match: RegExpExecArray, today: Date | null) => string | number | null;
};

/** In order of precedence: text taken by one reader is not offered to the next. */
const READERS: Reader[] = [
  {
    kind: 'quoted',
    needs: /["“']/,
    pattern: /"([^"]+)"|“([^”]{1,1000})”|(?<=^|\s)'([^']+)'(?=$|[\s.,;!?])/g,
    value: (m) => m[1] ?? m[2] ?? m[3]!,
  },
  { kind: 'url', needs: /:\//, pattern: /https?:\/\/[^\s,;]+[^\s,;.!?]/g },
  { kind: 'email', needs: /@/, pattern: /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g },
  {
    kind: 'file',
    needs: /\.[a-z]|\//,
    pattern: /(?:\/?[\w-]{1,100}\/){0,20}[\w-]{1,100}\.[a-z]{2,4}\b|(?<=\s)\/[\w/-]+/g,
  },
  {
    kind: 'id',
    needs: /[_#]|[A-Z]-?\d/,
    pattern: /\b[A-Z]{1,5}-\d+\b|\b[A-Z]{1,5}\d{2,}\b|#\d+|\b[a-z]{2,5}_\w+\b/g,
    value: (m) => m[0].replace(/^#/, ''),
  },
  { kind: 'date', needs: /\d-\d/, pattern: /\b\d{4}-\d{2}-\d{2}\b/g },
  {
    kind: 'date',
    needs: /\d/,
    pattern: new RegExp(`\\b(${MONTH})\\.? (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?\\b`, 'gi'),
    value: (m, today) => calendarDate(m[1]!, m[2]!, m[3], today),
  },
  {
    kind: 'date',
    needs: /\d/,
    pattern: new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${MONTH})(?:,? (\\d{4}))?\\b`, 'gi'),
    value: (m, today) => calendarDate(m[2]!, m[1]!, m[3], today),
  },
  {
    kind: 'date',
    needs: /\b(?:to|yes|this|day)/i,
    pattern: /\b(today|tonight|this (?:morning|afternoon|evening)|tomorrow|day after tomorrow|yesterday)\b/gi,
    value: (m, today) => relativeDay(m[1]!.toLowerCase(), today),
  },
  {
    kind: 'date',
    needs: /day/i,
    pattern: new RegExp(`\\b(?:(next|this) )?(${DAY})\\b`, 'gi'),
    value: (m, today) => weekday(m[2]!.toLowerCase(), today),
  },
  {
    kind: 'time',
    needs: /\d/,
    pattern: /\b(\d{1,2})(?::(\d{2}))? ?(am|pm|a\.m\.|p\.m\.)(?!\w)/gi,
    value: (m) => clock(Number(m[1]), m[2] ?? '00', m[3]![0]!.toLowerCase()),
  },
  { kind: 'time', needs: /\d:\d/, pattern: /\b(\d{1,2}):(\d{2})\b/g, value: (m) => clock(Number(m[1]), m[2]!, '') },
  {
    kind: 'time',
    needs: /no|mid/i,
    pattern: /\b(noon|midnight)\b/gi,
    value: (m) => (m[1]!.toLowerCase() === 'noon' ? '12:00' : '00:00'),
  },
  {
    kind: 'duration',
    pattern: /\b(\d+|half an|an|a|one|two|three) ?-?(minutes?|min|hours?|hrs?|h)\b/gi,
    value: (m) => minutes(m[1]!.toLowerCase(), m[2]!),
  },
  { kind: 'number', needs: /\d/, pattern: /-?\d[\d,]*(?:\.\d+)?/g, value: (m) => Number(m[0].replaceAll(',', '')) },
  {
    kind: 'number',
    pattern: new RegExp(`\\b(${Object.keys(NUMBER_WORDS).join('|')})\\b`, 'gi'),
    value: (m) => NUMBER_WORDS[m[1]!.toLowerCase()]!,
  },
  {
    kind: 'name',
    pattern: /\p{Lu}[\p{L}'’.-]*\p{L}(?: (?:de |of )?\p{Lu}[\p{L}'’-]*\p{L})*/gu,
    value: (m) => nameIn(m[0]),
  },
];

/** How many characters on each side of a value are examined: enough for three words. */
const CONTEXT_CHARACTERS = 60;
const WORDS = /[\p{L}'’]+/gu;
const WORD_AFTER = /^\W{0,2}([\p{L}%]+)/u;

/**
 * All values in a prompt, in prompt order. `today` turns "tomorrow" into a date; without it, such words stay as text.
 */
export function findValues(text: string, today: Date | null): Found[] {
  const found: Found[] = [];
  let left = text;
  for (const { kind, needs, pattern, value } of READERS) {
    if (needs && !needs.test(left)) continue;
    const readable = left;
    pattern.lastIndex = 0; // matchAll would copy the pattern each time.
    for (let match = pattern.exec(readable); match; match = pattern.exec(readable)) {
      let start = match.index;
      let read: string | number | null = value ? value(match, today) : match[0];
      if (read === null) continue;
      if (kind === 'name') start += match[0].indexOf(String(read));
      const end = kind === 'name' ? start + String(read).length : start + match[0].length;
      if (typeof read === 'string' && kind !== 'quoted') read = read.trim();
      found.push({
        kind,
        text: text.slice(start, end),
        value: read,
        start,
        end,
        before: (
          text
            .slice(Math.max(0, start - CONTEXT_CHARACTERS), start)
            .toLowerCase()
            .match(WORDS) ?? []
        )
          .slice(-3)
          .join(' '),
        after:
          text
            .slice(end, end + CONTEXT_CHARACTERS)
            .toLowerCase()
            .match(WORD_AFTER)?.[1] ?? '',
      });
      left = left.slice(0, start) + ' '.repeat(end - start) + left.slice(end);
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** The date that a system prompt or a message states: "Today is Monday, 2 June 2025". */
export function todayIn(text: string): Date | null {
  const said = /(?:today is|today's date is|date:|it is)[^.\n]{0,60}/i.exec(text)?.[0];
  const date =
    said && findValues(said, null).find((value) => value.kind === 'date' && /^\d{4}-/.test(String(value.value)));
  return date ? new Date(`${date.value}T00:00:00Z`) : null;
}

const iso = (date: Date): string => date.toISOString().slice(0, 10);

function calendarDate(month: string, day: string, year: string | undefined, today: Date | null): string {
  const number = MONTHS.findIndex((name) => name.startsWith(month.toLowerCase().slice(0, 3)));
  const known = year ?? today?.getUTCFullYear();
  return known === undefined ? `${month} ${day}` : iso(new Date(Date.UTC(Number(known), number, Number(day))));
}

function relativeDay(word: string, today: Date | null): string {
  const days = { tomorrow: 1, 'day after tomorrow': 2, yesterday: -1 }[word] ?? 0;
  return today ? iso(new Date(today.getTime() + days * 86_400_000)) : word;
}

/** The first such weekday after today. */
function weekday(name: string, today: Date | null): string {
  if (!today) return name;
  const ahead = (WEEKDAYS.indexOf(name) - today.getUTCDay() + 6) % 7;
  return iso(new Date(today.getTime() + (ahead + 1) * 86_400_000));
}

function clock(hour: number, minute: string, half: string): string {
  const hours = half === 'p' ? (hour % 12) + 12 : half === 'a' ? hour % 12 : hour;
  return `${String(hours).padStart(2, '0')}:${minute}`;
}

function minutes(count: string, unit: string): number {
  if (count === 'half an') return 30;
  const number = /^an?$/.test(count) ? 1 : (NUMBER_WORDS[count] ?? Number(count));
  return /^h/i.test(unit) ? number * 60 : number;
}

/** The words of a capitalised span, starting with the first possible name. */
function nameIn(text: string): string | null {
  const words = text.split(' ');
  while (words.length > 0 && NOT_NAMES.has(words[0]!.toLowerCase())) words.shift();
  while (words.length > 0 && NOT_NAMES.has(words.at(-1)!.toLowerCase())) words.pop();
  return words.length > 0 ? words.join(' ').replace(/['’]s$/, '') : null;
}
