import type { Help } from './help-en.ts';

export const helpEs: Help = {
  trouble: 'Si algo va mal',
  who: 'Quién puede hacer qué',
  screens: {
    board: {
      purpose:
        'Sus reclamaciones abiertas; primero las que alguien debe mirar: rechazadas y sin asignar, después las que más esperan. Muestra los cambios en segundos; no hace falta cargarlo de nuevo.',
      words: [
        ['Ofrecida', 'el ajustador aún no respondió.'],
        ['Atrasada', 'ofrecida, y sin respuesta por más tiempo del que espera su firma.'],
        ['Aceptada', 'la tiene el ajustador. Sale de esta lista; elija Aceptada en Mostrar para verla.'],
        ['Rechazada', 'el ajustador no la toma. Ofrézcala a otro.'],
        ['Sin asignar', 'la oferta terminó sin respuesta, por ejemplo cuando el ajustador dejó la firma.'],
        ['Espera', 'desde la oferta, o desde que la reclamación no tiene ninguna.'],
        [
          'Buscar',
          'encuentra nombres, calles, ciudades, estados, el comienzo de códigos postales, teléfonos y números de póliza, el final de otros números, y ajustadores.',
        ],
        [
          'Ofrecer',
          'una reclamación, o todas las seleccionadas. Termina la oferta que otro ajustador no respondió.',
        ],
        ['J, K', 'reclamación siguiente, anterior'],
        ['Enter', 'abrir la reclamación'],
        ['X', 'seleccionarla; con Shift, todas desde la última'],
        ['O', 'ofrecer las seleccionadas, o la actual'],
        ['/', 'buscar'],
        ['?', 'esta ayuda'],
      ],
      trouble: [
        ['Falta una reclamación', 'mire en Mostrar las aceptadas y cerradas, y en Reales y Prueba del menú.'],
        [
          'Una oferta sin respuesta del servicio',
          'pulse Intentar de nuevo: así no se puede ofrecer dos veces.',
        ],
        [
          'La reclamación cambió',
          'alguien la ofreció, o fue respondida, después de que usted la leyó. Mírela y decida otra vez.',
        ],
        [
          'Ningún ajustador responde',
          'abra la reclamación: muestra si llegó la notificación y si se vio la oferta. Después llame.',
        ],
      ],
      who: 'Administración y Despacho ofrecen reclamaciones. Auditoría las lee.',
      guide: 'offering-again',
    },
    claim: {
      purpose:
        'Una reclamación: cada oferta, todo lo que se envió y su recibo. Se imprime en una o dos páginas.',
      words: [
        ['Ofertas', 'primero la última; cada una con quién la hizo, cuándo se vio y cómo terminó.'],
        ['Dispositivo, Correo', 'si la notificación llegó al servicio del teléfono o al servidor de correo.'],
        ['Vista', 'cuándo se mostró la oferta por primera vez en la aplicación del ajustador.'],
        [
          'Retirada',
          'la oferta terminó antes de una respuesta, por ejemplo al ofrecer la reclamación a otro.',
        ],
        ['Recibo', 'un archivo firmado sobre la última oferta, sin nombres. Cualquiera puede verificarlo.'],
      ],
      trouble: [
        [
          'No vista',
          'el teléfono puede estar apagado o sin red. La oferta espera en la aplicación; llame al ajustador.',
        ],
        [
          'Ya no está registrado',
          'ese dispositivo no recibe notificaciones. El ajustador las activa otra vez en la aplicación.',
        ],
        ['Un dato es incorrecto', 'una reclamación enviada no se puede cambiar. Dígaselo al ajustador.'],
      ],
      who: 'Administración y Despacho ofrecen la reclamación. Auditoría la lee, y también su recibo.',
      guide: 'receipts',
    },
    adjusters: {
      purpose: 'Los ajustadores de su firma, primero los que están libres, y las personas que invitó.',
      words: [
        ['SVCID', 'el id de una cuenta, que la aplicación muestra a cada ajustador. Con él se invita.'],
        ['Invitado', 'la persona no respondió. Hasta entonces no ve ninguna reclamación suya.'],
        ['Activo', 'un miembro, a quien se pueden ofrecer reclamaciones.'],
        ['En pausa', 'un miembro que ahora no acepta ofertas. Solo el ajustador lo cambia.'],
        ['No puede aceptar reclamaciones', 'el operador lo bloqueó.'],
        ['Rechazó, vencida, retirada', 'la invitación terminó. Puede invitar otra vez.'],
        ['Ofertas y reclamaciones abiertas', 'lo que el ajustador no respondió, y lo aceptado sin cerrar.'],
        ['Mediana del tiempo de respuesta', 'la mitad de las respuestas llegó antes.'],
      ],
      trouble: [
        ['No hay ningún ajustador con este SVCID', 'pídalo otra vez: las mayúsculas cuentan.'],
        [
          'Nadie responde a una invitación',
          'espera en la aplicación, en Firmas. Antes hay que completar allí el nombre y el correo.',
        ],
        [
          'Un ajustador debe salir enseguida',
          'pídaselo al operador: svc member remove surte efecto en un segundo.',
        ],
      ],
      who: 'Administración y Despacho invitan y retiran invitaciones. Auditoría lee la lista. Solo el ajustador o el operador terminan una membresía.',
      guide: 'inviting-adjusters',
    },
    map: {
      purpose: 'Dónde están sus reclamaciones abiertas: las que esperan un ajustador y las aceptadas.',
      words: [
        [
          'Un punto',
          'reclamaciones de uno o varios códigos postales, en el centro de estos. Elíjalo para ver la lista.',
        ],
        [
          'Los lugares',
          'vienen de una tabla de la página. Ninguna dirección se envía a un servicio de mapas.',
        ],
      ],
      trouble: [
        ['Reclamaciones sin lugar', 'su código postal no está en la tabla. Están en el tablero.'],
        ['Se muestran las primeras', 'en el mapa no caben más. El tablero las tiene todas.'],
      ],
      who: 'Administración, Despacho y Auditoría lo ven.',
      guide: 'desk',
    },
    upload: {
      purpose:
        'Envía reclamaciones de un archivo de su sistema o de una hoja de cálculo. Primero se comprueba cada fila, y no se envía nada antes de que pulse Enviar.',
      words: [
        [
          'Responda, por favor',
          'lo que el archivo no muestra por sí solo, como cuál de dos columnas es la dirección de la pérdida.',
        ],
        ['Sin problemas', 'se puede enviar.'],
        ['Con problemas', 'se omite. La lista dice fila, columna y qué cambiar.'],
        ['Enviadas', 'una reclamación, y una oferta a su ajustador.'],
        ['Enviadas antes', 'la reclamación existe con el mismo contenido. No se envió nada dos veces.'],
        [
          'Sin enviar',
          'se rechazó al enviarla, por ejemplo por un límite del ajustador. La lista dice por qué.',
        ],
        ['El ajustador', 'se puede nombrar con SVCID, nombre o correo.'],
        ['Igual en todas las filas', 'da un valor a un campo que no tiene columna.'],
      ],
      trouble: [
        ['Se detuvo', 'pulse Reanudar, o envíe el mismo archivo otra vez: nada se envía dos veces.'],
        [
          'Muchas filas tienen problemas',
          'descargue los problemas, corrija el archivo y elíjalo otra vez. O envíe primero las filas buenas.',
        ],
        [
          'Una reclamación existe con otro contenido',
          'queda como está, y la comprobación dice qué difiere. Otro id externo hace otra reclamación.',
        ],
        ['Las letras se ven mal', 'elija otra codificación.'],
      ],
      who: 'Administración y Despacho suben archivos.',
      guide: 'sending-claims',
    },
    reports: {
      purpose:
        'Cómo terminaron las ofertas y cuánto tardó la respuesta, por ajustador, semana o aseguradora.',
      words: [
        [
          'Ofertas',
          'las del período, cada una contada una vez, también si una reclamación se ofreció varias veces.',
        ],
        ['Retirada', 'terminó antes de una respuesta, por ejemplo por una oferta a otro.'],
        [
          'Mediana del tiempo de respuesta',
          'la mitad de las respuestas llegó antes. Solo cuentan ofertas aceptadas y rechazadas.',
        ],
        ['Parte de la semana', 'el período empieza o termina dentro de esta semana.'],
      ],
      trouble: [
        ['Los números difieren del tablero', 'el tablero cuenta reclamaciones; un informe cuenta ofertas.'],
        ['Otra oficina ve otras semanas', 'las semanas son las de la zona horaria de su computadora.'],
      ],
      who: 'Administración, Despacho y Auditoría los leen y descargan.',
      guide: 'desk',
    },
    keys: {
      purpose:
        'Las claves con que los programas de su firma llegan al servicio, y cuánto han usado de sus límites.',
      words: [
        [
          'Reales, Prueba',
          'reclamaciones reales, o datos de prueba. Una clave de prueba no llega a nada real.',
        ],
        ['Para qué', 'lo que puede hacer un programa con la clave.'],
        ['Reemplazar', 'crea una clave nueva; la anterior sirve el tiempo que usted elija.'],
        ['Revocar', 'termina una clave en un segundo.'],
        ['De una persona que ya no está', 'esa persona puede conocer la clave. Reemplácela o revóquela.'],
      ],
      trouble: [
        ['Otros pueden conocer una clave', 'revóquela ya, cree otra, y mire en Solicitudes qué hizo.'],
        ['Se perdió el texto de la clave', 'nadie puede mostrarlo otra vez. Reemplace la clave.'],
        [
          'Hay solicitudes limitadas',
          'los programas que esperan lo que dice la respuesta no pierden nada. El operador sube los límites.',
        ],
      ],
      who: 'Administración crea todas las claves. Desarrollo crea claves de prueba. Auditoría ve la lista, sin los textos.',
      guide: 'keys',
    },
    requests: {
      purpose:
        'Lo que pidieron sus programas en los últimos 14 días, y qué estaba mal. Lo que enviaron no se conserva.',
      words: [
        ['Id de la solicitud', 'está en cada respuesta y en el mensaje de un error. Búsquelo.'],
        ['Código de error', 'dice qué falló; la documentación tiene la causa y el remedio de cada uno.'],
        ['Desconectada', 'el programa no esperó la respuesta. Lo que pidió puede haberse hecho.'],
      ],
      trouble: [
        ['Falta una solicitud', 'no tenía una clave válida, o no llegó al servicio.'],
        ['Muchos errores 429', 'el programa envía más rápido de lo que puede su clave. Vea Claves.'],
      ],
      who: 'Administración, Desarrollo y Auditoría las leen.',
      guide: 'errors',
    },
    sandbox: {
      purpose:
        'Simula ajustadores, fallos y una tormenta para un programa que usted construye. Solo llega a datos de prueba.',
      words: [
        ['Clave de prueba', 'queda en la memoria de esta página, y se va cuando la cierra.'],
        ['Cuentas de prueba', 'ajustadores que no existen. El final del SVCID dice qué hace cada uno.'],
        ['Sus próximas solicitudes', 'fallan como usted elija, para ver si su programa intenta de nuevo.'],
        ['Ensayar una tormenta', 'actúa por los ajustadores mientras su propio sistema envía y consulta.'],
      ],
      trouble: [
        ['No se acepta la clave', 'una clave de prueba empieza con svc_test_. Cree una en Claves.'],
        ['Un ensayo va lento', 'los navegadores frenan las pestañas ocultas: deje esta a la vista.'],
      ],
      who: 'Administración y Desarrollo lo usan.',
      guide: 'test-accounts',
    },
    webhooks: {
      purpose:
        'Direcciones de sus sistemas a las que el servicio llama cuando cambian reclamaciones, para que consulten enseguida.',
      words: [
        ['Activa', 'se llama a lo sumo una vez por segundo. La llamada no contiene nada de una reclamación.'],
        ['En pausa', 'no se llama: por una persona, porque respondió 410, o tras tres días de fallos.'],
        ['Secreto', 'prueba a su sistema que la llamada viene de aquí. Se muestra una vez.'],
        ['Entregas', 'las últimas llamadas, cada una con su respuesta.'],
      ],
      trouble: [
        [
          'Las llamadas fallan',
          'no se pierde nada: su sistema consulta. Abra Entregas para ver el motivo, y pulse Enviar una prueba.',
        ],
        ['No es una dirección pública', 'el servicio no llama a direcciones de una red privada.'],
      ],
      who: 'Administración y Desarrollo las cambian. Auditoría las lee.',
      guide: 'webhooks',
    },
    readiness: {
      purpose: 'Comprueba lo que sus programas hicieron con claves de prueba, antes de darles claves reales.',
      words: [
        ['Correcto', 'bien hecho al menos una vez, y nunca mal en el período.'],
        ['Incorrecto', 'mal hecho. Los hallazgos nombran las solicitudes.'],
        ['Aún sin ver', 'su programa no se encontró con esto. Un ensayo en el entorno de prueba lo provoca.'],
      ],
      trouble: [
        [
          'Sigue incorrecto tras corregirlo',
          'elija un período más corto, o empiece un ensayo y compruebe desde su inicio.',
        ],
      ],
      who: 'Administración, Desarrollo y Auditoría lo leen.',
      guide: 'readiness',
    },
    audit: {
      purpose:
        'Quién hizo qué y cuándo en su firma: en este escritorio, en la aplicación, con una clave, o el operador.',
      words: [
        ['Quién', 'una persona del escritorio, una clave, un ajustador, el operador o el servicio.'],
        ['Rechazado', 'alguien lo intentó y no le estaba permitido.'],
        ['Verificar', 'calcula otra vez la cadena de las filas, y dice si se cambió o quitó alguna.'],
        ['Exportar', 'las filas que encuentran los filtros, en un archivo con una por línea.'],
      ],
      trouble: [
        [
          'El registro está roto',
          'guarde una exportación, y escriba enseguida al operador con el número de la fila.',
        ],
        ['El archivo está incompleto', 'exporte por meses, o pida el resto al operador.'],
      ],
      who: 'Administración y Auditoría lo leen, verifican y exportan.',
      guide: 'desk',
    },
    people: {
      purpose: 'Quién puede usar este escritorio, y con qué función.',
      words: [
        ['Administración', 'todo.'],
        ['Despacho', 'reclamaciones, ajustadores, cargas e informes.'],
        [
          'Desarrollo',
          'claves de prueba, solicitudes, el entorno de prueba y avisos a sistemas, y ninguna reclamación.',
        ],
        ['Auditoría', 'lee todo menos personas y secretos.'],
        ['Invitación', 'la persona aún no inició sesión.'],
      ],
      trouble: [
        [
          'La persona no recibe el código',
          'la dirección debe ser la escrita aquí. El correo puede estar en la carpeta de spam, o tardar.',
        ],
        ['Alguien dejó la firma', 'quite a la persona, y mire en Claves qué puede conocer.'],
        ['El último administrador permanece', 'haga antes administradora a otra persona.'],
      ],
      who: 'Solo Administración.',
      guide: 'desk',
    },
    settings: {
      purpose: 'Su propia cuenta: idioma, colores, llaves de acceso, y dónde tiene sesión.',
      words: [
        ['Llave de acceso', 'inicia la sesión con el bloqueo de su dispositivo, sin código por correo.'],
        ['Sesiones', 'navegadores donde tiene sesión. Termine las que no conozca.'],
        ['Ofertas atrasadas', 'un correo al día mientras una oferta espera demasiado.'],
      ],
      trouble: [
        ['Se perdió una computadora', 'cierre la sesión en todas partes.'],
        [
          'No puede iniciar sesión',
          'alguien de Administración comprueba la dirección en Personas; el operador puede abrir una sesión.',
        ],
      ],
      who: 'Cada persona, para su propia cuenta.',
      guide: 'desk',
    },
  },
};
