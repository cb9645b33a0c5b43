// The suites of the shapes.
const tool = (name, description, properties, required = Object.keys(properties)) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required } },
});
const text = (description) => ({ type: 'string', description });

const TOOLS = [
  tool(
    'get_weather',
    'Get the weather of a city',
    {
      city: text('Name of the city'),
      units: { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' },
    },
    ['city'],
  ),
  tool('get_forecast', 'Get the forecast of a city for the next days', { city: text('Name of the city') }),
  tool('set_alarm', 'Set an alarm', { time: text('Start as HH:MM, 24 hours') }),
  tool('play_song', 'Play a song', { title: text('Title of the song') }),
  tool('send_email', 'Send an e-mail message at once', { to: text('E-mail address'), subject: text('Subject line') }),
];
const CITIES = ['Paris', 'Rome', 'Lisbon', 'Oslo', 'Vienna', 'Prague', 'Dublin', 'Athens', 'Madrid', 'Warsaw'];
const two = (n) => String(n).padStart(2, '0');
/** The prompt, tool and arguments of the n-th case. */
const ASKS = [
  (n) => [`What is the weather in ${CITIES[n % 10]}? (${n})`, 'get_weather', { city: CITIES[n % 10] }],
  (n) => [
    `Set an alarm for ${two(5 + (n % 17))}:${two((n * 7) % 60)} (${n})`,
    'set_alarm',
    { time: `${two(5 + (n % 17))}:${two((n * 7) % 60)}` },
  ],
  (n) => [`Please play the song "Number ${n}" now`, 'play_song', { title: `Number ${n}` }],
  (n) => [
    `Get the forecast of ${CITIES[(n * 3) % 10]} for the next days (${n})`,
    'get_forecast',
    { city: CITIES[(n * 3) % 10] },
  ],
  (n) => [
    `Send an e-mail to person.${n}@example.com with the subject "Report ${n}"`,
    'send_email',
    { to: `person.${n}@example.com`, subject: `Report ${n}` },
  ],
];
const DOMAINS = ['weather', 'alarms', 'music', 'forecasts', 'mail'];

/** A suite of look-alike tools, in which each case asks for one call. */
export const suiteOf = (name, cases, categories = 5) => ({
  name,
  description: `${cases.toLocaleString('en')} requests for one call each, in ${categories} categories.`,
  system_prompt: 'You are an assistant at home. Call one tool.',
  tools: TOOLS,
  test_cases: Array.from({ length: cases }, (_, n) => {
    const [prompt, expected_tool, expected_params] = ASKS[n % ASKS.length](n);
    const domain = DOMAINS[n % DOMAINS.length];
    const part = Math.floor(n / ASKS.length) % Math.max(1, Math.round(categories / DOMAINS.length));
    return {
      name: `${domain} ${n}`,
      category: categories > 5 ? `${domain} / part ${part + 1}` : domain,
      tags: [n % 10 === 0 ? 'critical' : 'usual'],
      prompt,
      expected_tool,
      expected_params,
    };
  }),
});

const LONG_NAME =
  'A case whose name somebody generated from the whole request, the expected call and the ticket in which it was ' +
  'found, so that it never ends before the two hundredth character is there, and then it does: TM-20991';
const fields = (valueOf) =>
  Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`field_${two(n + 1)}`, valueOf(n)]));
const address = {
  street: '12 Long Street',
  city: 'Cape Town',
  location: { lat: -33.92, lon: 18.42, accuracy: { metres: 5 } },
};

/** Cases of every kind, with the replies of a model that thinks. */
const KINDS = [
  {
    name: 'בקשה בעברית: מזג האוויר בתל אביב',
    category: 'עברית',
    prompt: 'מה מזג האוויר בתל אביב מחר בשעה 14:30, במעלות celsius?',
    expected_tool: 'get_weather',
    expected_params: { city: 'תל אביב', units: 'celsius' },
    called: [['get_weather', { city: 'חיפה', units: 'celsius' }]],
    thoughts: 'המשתמש שואל על מזג האוויר. אולי הוא התכוון לחיפה?',
  },
  {
    name: 'طلب بالعربية: أغنية من Fairuz',
    category: 'عربي',
    prompt: 'شغّل أغنية "نسم علينا الهوى" من فضلك',
    expected_tool: 'play_song',
    expected_params: { title: 'نسم علينا الهوى' },
    called: [['play_song', { title: 'نسم علينا الهوى' }]],
  },
  {
    name: LONG_NAME.slice(0, 200),
    category: 'names',
    prompt: 'What is the weather in Paris?',
    expected_tool: 'get_weather',
    expected_params: { city: 'Paris' },
    called: [['get_forecast', { city: 'Paris' }]],
    thoughts: 'They ask about the weather. A forecast covers it as well, and it has more data. '.repeat(12),
  },
  {
    name: 'thirty arguments',
    category: 'arguments',
    prompt: 'Fill the form with the values 1 to 30.',
    expected_tool: 'fill_form',
    expected_params: fields((n) => `value ${n + 1}`),
    called: [['fill_form', fields((n) => (n % 11 === 4 ? `value ${n}` : `value ${n + 1}`))]],
  },
  {
    name: 'nested arguments',
    category: 'arguments',
    prompt: 'Ship order A-17 to 12 Long Street, Cape Town, two boxes of 5 kg and 7 kg.',
    expected_tool: 'ship_order',
    expected_params: { order: { id: 'A-17', to: address, boxes: [{ kg: 5 }, { kg: 7 }] } },
    called: [
      [
        'ship_order',
        {
          order: {
            id: 'A-17',
            to: { ...address, location: { lat: -33.92, lon: 18.24, accuracy: { metres: 5 } } },
            boxes: [{ kg: 5 }, { kg: 12, fragile: true }],
          },
        },
      ],
    ],
    thoughts: 'Two boxes: 5 kg, and 5 + 7 = 12 kg.',
  },
  {
    name: 'a text argument of many lines',
    category: 'arguments',
    prompt: 'Send the minutes to team@example.com.',
    expected_tool: 'send_email',
    expected_params: {
      to: 'team@example.com',
      subject: 'Minutes',
      body: 'Dear all,\n\nwe met at ten.\nWe agreed on three things.\nWe meet again on Friday.\n\nBest,\nAda',
    },
    called: [
      [
        'send_email',
        {
          to: 'team@example.com',
          subject: 'Minutes',
          body: 'Dear all,\n\nwe met at ten.\nWe agreed on two things.\nWe meet again on Friday.\n\nBest wishes,\nAda',
        },
      ],
    ],
  },
  {
    name: 'several calls',
    category: 'several calls',
    prompt: 'What is the weather in Paris, Rome and Oslo?',
    expected_calls: ['Paris', 'Rome', 'Oslo'].map((city) => ({ tool: 'get_weather', params: { city } })),
    allow_extra_calls: false,
    called: [
      ['get_weather', { city: 'Rome' }],
      ['get_weather', { city: 'Paris' }],
      ['get_forecast', { city: 'Oslo' }],
      ['get_weather', { city: 'Paris' }],
    ],
    thoughts: 'Three cities. I call for each of them, and check Paris again.',
  },
  {
    name: 'a chain of two rounds',
    category: 'chains',
    prompt: 'Find the e-mail address of Ada, then write to her with the subject "Hello".',
    multi_turn: true,
    expected_tool: 'send_email',
    expected_params: { to: 'ada@example.com', subject: 'Hello' },
    mock_responses: { find_person: { email: 'ada@example.com' } },
    called: [['find_person', { name: 'Ada' }]],
    then: [['send_email', { to: 'ada@example.org', subject: 'Hello' }]],
  },
  {
    name: 'no call, answered in words',
    category: 'no call',
    prompt: 'Thank you, that was all.',
    expected_tool: null,
    called: [],
    says: 'You are welcome! Have a good day.',
  },
  {
    name: 'no call, but it called',
    category: 'no call',
    prompt: 'What is the capital of France?',
    expected_tool: null,
    called: [['get_weather', { city: 'Paris' }]],
    thoughts: 'The capital of France is Paris. I could show its weather.',
  },
  {
    name: 'a call where it only talked',
    category: 'no reply',
    prompt: 'Set an alarm for 06:15.',
    expected_tool: 'set_alarm',
    expected_params: { time: '06:15' },
    called: [],
    says: 'I would need to know your time zone first. '.repeat(20),
    finish: 'length',
  },
  {
    name: 'a long prompt',
    category: 'names',
    prompt: `${'The user pasted a log of their day. '.repeat(100)}And now: play the song "Yesterday".`,
    expected_tool: 'play_song',
    expected_params: { title: 'Yesterday' },
    called: [['play_song', { title: 'Yesterday (Remastered 2009)' }]],
  },
];

export const kindsSuite = {
  name: 'Every kind of case / כל סוג של מקרה',
  tools: [
    ...TOOLS.filter(({ function: { name } }) => name !== 'send_email'),
    tool(
      'send_email',
      'Send an e-mail message at once',
      { to: text('E-mail address'), subject: text('Subject line'), body: text('Text of the message') },
      ['to', 'subject'],
    ),
    tool('find_person', 'Find a person by name', { name: text('Name') }),
    tool(
      'fill_form',
      'Fill a form',
      fields((n) => text(`Value ${n + 1}`)),
    ),
    tool('ship_order', 'Ship an order', { order: { type: 'object', properties: {} } }),
  ],
  test_cases: KINDS.map(caseOf),
};

/** A kind without how it is answered. */
function caseOf({ called: _called, thoughts: _thoughts, says: _says, finish: _finish, then: _then, ...one }) {
  return one;
}

const messageOf = ({ called, thoughts, says = null, finish }) => ({
  message: {
    role: 'assistant',
    content: says,
    ...(thoughts && { reasoning_content: thoughts }),
    ...(called.length > 0 && {
      tool_calls: called.map(([name, args], n) => ({
        id: `call_${n}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      })),
    }),
  },
  finish_reason: finish ?? (called.length > 0 ? 'tool_calls' : 'stop'),
});

/** The script of a model that thinks, and mostly errs. */
export const thinkerScript = {
  replies: [messageOf({ called: [], says: 'I do not know.' })],
  by_prompt: Object.fromEntries(
    KINDS.map((kind) => [
      kind.prompt,
      [messageOf(kind), ...(kind.then ? [messageOf({ ...kind, called: kind.then })] : [])],
    ]),
  ),
};
