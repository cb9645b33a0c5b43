/** What tabs and windows of the page tell each other about the session that they share. */
export type SessionNews = 'signed in' | 'signed out';

const NAME = 'toolmark.session';
let channel: BroadcastChannel | undefined;
const opened = (): BroadcastChannel => (channel ??= new BroadcastChannel(NAME));

/** Tells the other tabs. */
export const announce = (news: SessionNews): void => opened().postMessage(news);

export const onSessionNews = (hear: (news: SessionNews) => void): void =>
  opened().addEventListener('message', ({ data }: MessageEvent<SessionNews>) => hear(data));
