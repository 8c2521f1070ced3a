export type { PushLog } from './log.ts';
export { createMail, createMailLog, type Mail, mailProblem } from './mail.ts';
export { createNotifier } from './notifier.ts';
export { createPost } from './post.ts';
export { createResolveName } from './resolve-name.ts';
export { createVapidKeys, type Vapid } from './vapid.ts';
export { createWebPush, type WebPush } from './web-push.ts';
export { createWebhookSender } from './webhook-sender.ts';
