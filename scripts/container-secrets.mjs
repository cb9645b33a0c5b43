// Creates the same secrets as `npm start`, once, in the given folder.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { keepSecret } from './keep-secret.mjs';

const folder = process.argv[2];
if (!process.env.TOOLMARK_SEALING_KEY && !process.env.TOOLMARK_SEALING_KEYS)
  keepSecret(join(folder, 'sealing-key'), () => randomBytes(32).toString('hex'));
if (!process.env.TOOLMARK_ADMIN_TOKEN)
  keepSecret(join(folder, 'admin-token'), () => `tm_${randomBytes(32).toString('base64url')}`);
