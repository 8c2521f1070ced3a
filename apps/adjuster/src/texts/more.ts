import type { Language } from './language.ts';

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const en = {
  settings: {
    title: 'Settings',
    account: 'Account',
    name: 'Name',
    edit: 'Change',
    testAccount: 'This is a test account.',
    language: 'Language',
    languageAuto: 'Same as device',
    display: 'Display',
    schemes: {
      device: 'Same as device',
      light: 'Light',
      dark: 'Dark',
      sunlight: 'Sunlight: large type, highest contrast',
    },
    undo: 'Time to undo an answer',
    undoSeconds: (seconds: number) => (seconds === 0 ? 'Send at once' : `${seconds} seconds`),
    notifications: 'Notifications on this device',
    notificationsOn: 'On. The lock screen shows only the firm and the type of notification.',
    notificationsOff: 'Off. You see new offers only while the app is open.',
    notificationsStopped:
      'Notifications have stopped on this device: the browser or its push service has ended them. Turn them on again.',
    notificationsRenewed: (time: string) =>
      `Notifications had stopped on this device and were turned on again at ${time}. Offers before that may not have been shown.`,
    notificationsNone: 'This browser does not support notifications.',
    notificationsHomeScreen:
      'On an iPhone or iPad, notifications need the app on the Home Screen: tap Share, then Add to Home Screen, and open the app from there.',
    notificationsFailed: 'The browser could not register for notifications. Try again later.',
    turnOn: 'Turn on',
    turnOff: 'Turn off',
    suggestion: 'Get notified of new offers while the app is closed',
    later: 'Not now',
    session: 'Session',
    signOut: 'Sign out',
    signOutEverywhere: 'Sign out everywhere',
    signOutTitle: 'Sign out?',
    signOutLead: 'Data stored on this device is removed, including notes that are not saved.',
    everywhereTitle: 'Sign out on every device?',
    everywhereLead:
      'You will need to sign in again on every phone, tablet, and browser, and get no notifications until then.',
    unsent: (count: number) =>
      `${plural(count, 'change has', 'changes have')} not been sent yet and will be lost.`,
    install: 'Install',
    installLead: 'Install the app on your home screen: it opens faster and works offline.',
  },
  account: {
    codeSent: (email: string) =>
      `If no other account uses ${email}, we have sent a code to it. Until you enter it, your old address stays.`,
    confirm: 'Confirm address',
  },
  map: {
    label: 'Map of your offers and claims',
    lead: 'Places are the centers of ZIP codes. For the exact address, open your maps app.',
    loading: 'Loading the map …',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    showAll: 'Show all',
    offers: 'Offers',
    claims: 'My claims',
    cluster: (count: number, place: string) => `${plural(count, 'claim', 'claims')} near ${place}`,
    none: 'No offers or open claims',
    unknown: (count: number) =>
      `${plural(count, 'claim has', 'claims have')} a ZIP code that is not on the map.`,
    showUnknown: 'Show',
    addStop: 'Add to route',
    stops: 'Your route',
    stopsLead: 'In this order: always the nearest stop next. Your maps app starts at your current location.',
    removeStop: 'Remove from route',
    route: (count: number) => `Route with ${plural(count, 'stop', 'stops')}`,
    maxStops: (count: number) => `A route has at most ${count} stops.`,
    you: 'Your location',
    source: 'Map data: U.S. Census Bureau',
  },
  work: {
    undoContact: 'Undo the last entry',
    undoneTooLate: 'Too late to undo: the entry was already sent.',
    noteTooLong: (max: number) => `Shorten the note to ${max} characters.`,
    logFull: (max: number) => `The contact log holds ${max} entries and is full. Use the notes below.`,
  },
  availability: {
    title: 'When you take offers',
    pauseAll: 'Pause all firms',
    pauseAllMore:
      'While this is on, no firm can offer you claims. Your current offers and claims stay with you.',
    private: 'Firms see only that you do not take offers at the moment, not why.',
    away: 'Away',
    awayNone: 'No days planned.',
    awayDays: (first: string, last: string) => (first === last ? first : `${first} to ${last}`),
    firstDay: 'First day',
    lastDay: 'Last day',
    add: 'Add',
    remove: (days: string) => `Remove ${days}`,
    removeShort: 'Remove',
    reversed: 'The last day must not be before the first.',
    over: 'These days are over.',
    maxOffers: 'Most open offers at once',
    noLimit: 'No limit',
    maxOffersMore: 'With this many open offers, no firm can send you another one.',
    pausedAll: 'You have paused all firms. No new offers arrive.',
    awayUntil: (day: string) => `You are away until ${day}. No new offers arrive.`,
    full: (count: number) =>
      `You have ${plural(count, 'open offer', 'open offers')}, as many as you want. Answer one to get another.`,
  },
  notifications: {
    test: 'Send me a test notification',
    testSent: 'Sent. It should appear within a few seconds.',
    missing: 'Nothing appeared?',
    missingSteps: [
      'Turn off Do Not Disturb or Focus on the phone.',
      'In the settings of the phone, allow notifications for this app or your browser, with sound and on the lock screen.',
      'In the battery settings, let the browser run in the background.',
    ],
    deniedLead:
      'Notifications are blocked for this app. The browser does not let the app ask again, but you can allow them:',
    deniedSteps: {
      apple: [
        'Open Settings on the iPhone or iPad, then Notifications.',
        'Choose this app and turn on Allow Notifications.',
        'Return here.',
      ],
      android: [
        'Tap the icon to the left of the address, or press and hold the app’s icon and tap App info.',
        'Tap Permissions or Notifications, and allow them.',
        'Return here.',
      ],
      other: [
        'Click the icon to the left of the address.',
        'Set Notifications to Allow.',
        'Reload the page.',
      ],
    },
    quiet: 'Quiet hours',
    quietMore: 'Notifications of these hours arrive when they end. Nothing is so urgent that it wakes you.',
    quietFrom: 'From',
    quietUntil: 'Until',
    reminders: 'Remind me of due dates',
    remindersMore: 'Once a day at 8:00, when something is due before the next morning.',
  },
};

export type MoreTexts = typeof en;

const es: MoreTexts = {
  settings: {
    title: 'Ajustes',
    account: 'Cuenta',
    name: 'Nombre',
    edit: 'Cambiar',
    testAccount: 'Esta es una cuenta de prueba.',
    language: 'Idioma',
    languageAuto: 'Igual que el dispositivo',
    display: 'Pantalla',
    schemes: {
      device: 'Igual que el dispositivo',
      light: 'Clara',
      dark: 'Oscura',
      sunlight: 'Luz solar: letra grande y máximo contraste',
    },
    undo: 'Tiempo para deshacer una respuesta',
    undoSeconds: (seconds) => (seconds === 0 ? 'Enviar de inmediato' : `${seconds} segundos`),
    notifications: 'Notificaciones en este dispositivo',
    notificationsOn: 'Activadas. La pantalla bloqueada muestra solo la firma y el tipo de notificación.',
    notificationsOff: 'Desactivadas. Usted ve ofertas nuevas solo con la aplicación abierta.',
    notificationsStopped:
      'Las notificaciones se detuvieron en este dispositivo: el navegador o su servicio de envío las terminó. Actívelas otra vez.',
    notificationsRenewed: (time) =>
      `Las notificaciones se habían detenido en este dispositivo y se activaron otra vez: ${time}. Es posible que no haya visto ofertas anteriores.`,
    notificationsNone: 'Este navegador no permite notificaciones.',
    notificationsHomeScreen:
      'En un iPhone o iPad, las notificaciones necesitan la aplicación en la pantalla de inicio: toque Compartir, después Añadir a pantalla de inicio, y ábrala desde allí.',
    notificationsFailed: 'El navegador no pudo activar las notificaciones. Intente más tarde.',
    turnOn: 'Activar',
    turnOff: 'Desactivar',
    suggestion: 'Reciba notificaciones de ofertas nuevas con la aplicación cerrada',
    later: 'Ahora no',
    session: 'Sesión',
    signOut: 'Cerrar sesión',
    signOutEverywhere: 'Cerrar sesión en todos los dispositivos',
    signOutTitle: '¿Cerrar la sesión?',
    signOutLead: 'Se borran los datos guardados en este dispositivo, incluso las notas sin guardar.',
    everywhereTitle: '¿Cerrar la sesión en todos los dispositivos?',
    everywhereLead:
      'Tendrá que iniciar sesión otra vez en cada teléfono, tableta y navegador, y no recibirá notificaciones hasta entonces.',
    unsent: (count) =>
      count === 1
        ? '1 cambio no se ha enviado y se perderá.'
        : `${count} cambios no se han enviado y se perderán.`,
    install: 'Instalar',
    installLead: 'Instale la aplicación en su pantalla de inicio: abre más rápido y funciona sin conexión.',
  },
  account: {
    codeSent: (email) =>
      `Si ninguna otra cuenta usa ${email}, le hemos enviado un código. Hasta que lo introduzca, sigue su dirección anterior.`,
    confirm: 'Confirmar dirección',
  },
  map: {
    label: 'Mapa de sus ofertas y casos',
    lead: 'Los lugares son los centros de los códigos postales. Para la dirección exacta, abra su aplicación de mapas.',
    loading: 'Cargando el mapa …',
    zoomIn: 'Acercar',
    zoomOut: 'Alejar',
    showAll: 'Ver todo',
    offers: 'Ofertas',
    claims: 'Mis casos',
    cluster: (count, place) => `${plural(count, 'reclamación', 'reclamaciones')} cerca de ${place}`,
    none: 'No hay ofertas ni casos abiertos',
    unknown: (count) =>
      plural(
        count,
        'reclamación tiene un código postal que no está en el mapa.',
        'reclamaciones tienen un código postal que no está en el mapa.',
      ),
    showUnknown: 'Mostrar',
    addStop: 'Añadir a la ruta',
    stops: 'Su ruta',
    stopsLead:
      'En este orden: después de cada parada, la más cercana. Su aplicación de mapas empieza en su ubicación actual.',
    removeStop: 'Quitar de la ruta',
    route: (count) => `Ruta con ${plural(count, 'parada', 'paradas')}`,
    maxStops: (count) => `Una ruta tiene como máximo ${count} paradas.`,
    you: 'Su ubicación',
    source: 'Datos del mapa: U.S. Census Bureau',
  },
  work: {
    undoContact: 'Deshacer la última entrada',
    undoneTooLate: 'Ya no se puede deshacer: la entrada ya se envió.',
    noteTooLong: (max) => `Acorte la nota a ${max} caracteres.`,
    logFull: (max) => `El registro de contactos está lleno con ${max} entradas. Use las notas de abajo.`,
  },
  availability: {
    title: 'Cuándo recibe ofertas',
    pauseAll: 'Pausar todas las firmas',
    pauseAllMore:
      'Mientras esté activado, ninguna firma puede ofrecerle casos. Sus ofertas y casos actuales siguen con usted.',
    private: 'Las firmas solo ven que por ahora no recibe ofertas, no el motivo.',
    away: 'Ausencias',
    awayNone: 'No hay días planificados.',
    awayDays: (first, last) => (first === last ? first : `${first} a ${last}`),
    firstDay: 'Primer día',
    lastDay: 'Último día',
    add: 'Añadir',
    remove: (days) => `Eliminar ${days}`,
    removeShort: 'Eliminar',
    reversed: 'El último día no puede ser anterior al primero.',
    over: 'Estos días ya pasaron.',
    maxOffers: 'Máximo de ofertas abiertas a la vez',
    noLimit: 'Sin límite',
    maxOffersMore: 'Con esta cantidad de ofertas abiertas, ninguna firma puede enviarle otra.',
    pausedAll: 'Ha pausado todas las firmas. No llegan ofertas nuevas.',
    awayUntil: (day) => `Está ausente hasta el ${day}. No llegan ofertas nuevas.`,
    full: (count) =>
      `Tiene ${plural(count, 'oferta abierta', 'ofertas abiertas')}, el máximo que desea. Responda una para recibir otra.`,
  },
  notifications: {
    test: 'Enviarme una notificación de prueba',
    testSent: 'Enviada. Debe aparecer en unos segundos.',
    missing: '¿No apareció nada?',
    missingSteps: [
      'Desactive No molestar o el modo de concentración del teléfono.',
      'En los ajustes del teléfono, permita las notificaciones de esta aplicación o de su navegador, con sonido y en la pantalla bloqueada.',
      'En los ajustes de batería, permita que el navegador funcione en segundo plano.',
    ],
    deniedLead:
      'Las notificaciones de esta aplicación están bloqueadas. El navegador no permite volver a preguntar, pero usted puede permitirlas:',
    deniedSteps: {
      apple: [
        'Abra Ajustes en el iPhone o iPad y luego Notificaciones.',
        'Elija esta aplicación y active Permitir notificaciones.',
        'Regrese aquí.',
      ],
      android: [
        'Toque el icono a la izquierda de la dirección, o mantenga presionado el icono de la aplicación y toque Información.',
        'Toque Permisos o Notificaciones y permítalas.',
        'Regrese aquí.',
      ],
      other: [
        'Haga clic en el icono a la izquierda de la dirección.',
        'Permita las notificaciones.',
        'Vuelva a cargar la página.',
      ],
    },
    quiet: 'Horas de silencio',
    quietMore:
      'Las notificaciones de estas horas llegan cuando terminan. Nada es tan urgente como para despertarle.',
    quietFrom: 'Desde',
    quietUntil: 'Hasta',
    reminders: 'Recordarme los vencimientos',
    remindersMore: 'Una vez al día, a las 8:00, cuando algo vence antes de la mañana siguiente.',
  },
};

export const MORE_TEXTS: Readonly<Record<Language, MoreTexts>> = { en, es };
