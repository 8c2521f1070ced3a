import type { AUDIT_ACTIONS } from '@svc/contract';

// What the service and the shared packages say in English. A test finds what they say and this does not have.

/** By the English text; `{}` stands for a value, or for another text. */
const TEXTS: Readonly<Record<string, string>> = {
  'The file is empty.': 'El archivo está vacío.',
  'The file is not {}. Save it as "CSV UTF-8".': 'El archivo no es {}. Guárdelo como «CSV UTF-8».',
  'The file is neither UTF-8 nor Windows-1252. Save it as "CSV UTF-8".':
    'El archivo no es UTF-8 ni Windows-1252. Guárdelo como «CSV UTF-8».',
  'The encoding is not certain. Choose the one with the right text: {}.':
    'La codificación no es segura. Elija la que tiene el texto correcto: {}.',
  'This is {}. Open it in your spreadsheet program, and save it as "Excel Workbook (.xlsx)" or "CSV UTF-8".':
    'Esto es {}. Ábralo en su programa de hojas de cálculo y guárdelo como «Libro de Excel (.xlsx)» o «CSV UTF-8».',
  'This is {}. Open it in your spreadsheet program, and save it as "Excel Workbook (.xlsx)".':
    'Esto es {}. Ábralo en su programa de hojas de cálculo y guárdelo como «Libro de Excel (.xlsx)».',
  'an old Excel workbook (.xls)': 'un libro antiguo de Excel (.xls)',
  'a binary Excel workbook (.xlsb)': 'un libro binario de Excel (.xlsb)',
  'an OpenDocument file (.ods)': 'un archivo OpenDocument (.ods)',
  'a Numbers file': 'un archivo de Numbers',
  'a ZIP file without a workbook': 'un archivo ZIP sin libro de Excel',
  'The workbook has a password. Remove it in your spreadsheet program, and save it again.':
    'El libro tiene una contraseña. Quítela en su programa de hojas de cálculo, y guárdelo otra vez.',
  'The workbook is damaged ({}). Open it in Excel, and save it again.':
    'El libro está dañado ({}). Ábralo en Excel, y guárdelo otra vez.',
  'its end is missing': 'falta su final',
  'it has more than {} parts': 'tiene más de {} partes',
  'its directory is wrong': 'su directorio es incorrecto',
  'a part is in it twice': 'tiene una parte dos veces',
  'a part is compressed in another way': 'una parte está comprimida de otra manera',
  'a part is not where it should be': 'una parte no está en su lugar',
  'it ends too early': 'termina demasiado pronto',
  'a part is larger than it says': 'una parte es mayor de lo que indica',
  'a part cannot be unpacked': 'una parte no se puede descomprimir',
  'a part has a wrong checksum': 'una parte tiene una suma de control incorrecta',
  'an element has too many attributes': 'un elemento tiene demasiados atributos',
  'its elements are nested too deep': 'sus elementos están demasiado anidados',
  'a part is not XML': 'una parte no es XML',
  'a part is not Unicode': 'una parte no es Unicode',
  'its sheet is missing': 'falta su hoja',
  'a text is missing': 'falta un texto',
  'a text is longer than a cell can be': 'un texto es más largo de lo que cabe en una celda',
  'it has more than {} sheets': 'tiene más de {} hojas',
  'it has too many formats': 'tiene demasiados formatos',
  'it has too many texts': 'tiene demasiados textos',
  'its rows are not in order': 'sus filas no están en orden',
  'its cells are not in order': 'sus celdas no están en orden',
  'The workbook is too large once it is unpacked: split it into several files.':
    'El libro es demasiado grande una vez descomprimido: divídalo en varios archivos.',
  'The workbook has a document type (DTD), which no spreadsheet program writes.':
    'El libro tiene un tipo de documento (DTD), que ningún programa de hojas de cálculo escribe.',
  'The workbook has no sheet with rows.': 'El libro no tiene ninguna hoja con filas.',
  'The workbook has no sheet with this name. Its sheets: {}.':
    'El libro no tiene ninguna hoja con este nombre. Sus hojas: {}.',
  'The sheet is empty.': 'La hoja está vacía.',
  'The cell {} is behind the {} columns that are read. Delete it.':
    'La celda {} está detrás de las {} columnas que se leen. Bórrela.',
  'Before row {}, more than {} rows are empty. Delete them.':
    'Antes de la fila {} hay más de {} filas vacías. Bórrelas.',
  'a PDF file': 'un archivo PDF',
  'a Word document': 'un documento de Word',
  'a web page or XML': 'una página web o XML',
  'The file has a header and no rows.': 'El archivo tiene un encabezado y ninguna fila.',
  'Row {} does not look like the header, and row {} does: choose the row of the header (header_row).':
    'La fila {} no parece el encabezado, y la fila {} sí: elija la fila del encabezado (header_row).',
  'The header: {}': 'El encabezado: {}',
  'No row has text from row {} on: choose the row of the header (header_row).':
    'Ninguna fila tiene texto desde la fila {}: elija la fila del encabezado (header_row).',
  'The header has one column: is it a title above the header, whose row has to be chosen (header_row), or is the separator of a CSV file something else than a comma, a semicolon, a tab or a pipe (|)?':
    'El encabezado tiene una sola columna: ¿es un título encima del encabezado, cuya fila hay que elegir (header_row), o el separador de un archivo CSV no es coma, punto y coma, tabulador ni barra (|)?',
  'The header has the column {} twice.': 'El encabezado tiene la columna {} dos veces.',
  'The file has more than {} rows: split it into several files.':
    'El archivo tiene más de {} filas: divídalo en varios archivos.',
  'The file has more than {} cells: split it into several files.':
    'El archivo tiene más de {} celdas: divídalo en varios archivos.',
  'The file has more than {} characters: split it into several files.':
    'El archivo tiene más de {} caracteres: divídalo en varios archivos.',
  'Line {} has a NUL character. Save the file as "CSV UTF-8".':
    'La línea {} tiene un carácter NUL. Guarde el archivo como «CSV UTF-8».',
  'A cell begins with a quote that is not closed. Close it, or write the quote twice.':
    'Una celda empieza con comillas que no se cierran. Ciérrelas, o escriba dos veces las comillas.',
  'A quote is within a cell that begins with one. Put the cell in quotes, and write a quote in it twice.':
    'Hay comillas dentro de una celda que empieza con ellas. Ponga la celda entre comillas, y escriba dos veces las que tiene dentro.',
  'The row has more than {} cells.': 'La fila tiene más de {} celdas.',
  'A quote makes {} lines of the file one row, and one of them looks like a row: is a quote not closed, or not written twice?':
    'Unas comillas hacen de {} líneas del archivo una fila, y una de ellas parece una fila: ¿hay comillas que no se cierran, o que no se escribieron dos veces?',
  'The row has {} cells, which is more than the header: is a separator within a cell that is not in quotes?':
    'La fila tiene {} celdas, más que el encabezado: ¿hay un separador dentro de una celda sin comillas?',
  'Has a line break. Remove it; in a CSV file, is a quote before it not closed, or not written twice?':
    'Tiene un salto de línea. Quítelo; en un archivo CSV, ¿hay comillas antes que no se cierran, o que no se escribieron dos veces?',
  'Each of the columns {} may have the field {}: give it to one of them, and leave out the others.':
    'Cada una de las columnas {} puede tener el campo {}: asígnelo a una de ellas, y omita las demás.',
  'The column {} has whole names: give it the field {} (such as REYES, ANA) or {}.':
    'La columna {} tiene nombres completos: asígnele el campo {} (como REYES, ANA) o {}.',
  'The column {} may be of another address: give it the field {}, or leave it out.':
    'La columna {} puede ser de otra dirección: asígnele el campo {}, u omítala.',
  'Has characters that were damaged when the file was saved. Save it again as "CSV UTF-8".':
    'Tiene caracteres que se dañaron al guardar el archivo. Guárdelo otra vez como «CSV UTF-8».',
  'Is an error of a spreadsheet ({}), not a value.': 'Es un error de una hoja de cálculo ({}), no un valor.',
  'Is {}, which stands for a missing value.': 'Es {}, que está en lugar de un valor que falta.',
  'Is a rounded number ({}). Format the column as text, and enter the digits again.':
    'Es un número redondeado ({}). Dé a la columna el formato de texto, y escriba otra vez los dígitos.',
  'Is a number with decimals ({}). Format the column as text, and remove them.':
    'Es un número con decimales ({}). Dé a la columna el formato de texto, y quítelos.',
  'Is a number with separators ({}). Format the column as text, and remove them.':
    'Es un número con separadores ({}). Dé a la columna el formato de texto, y quítelos.',
  'Is a day ({}), which spreadsheets make of other text. Format the column as text, and enter it again.':
    'Es un día ({}), que las hojas de cálculo hacen de otro texto. Dé a la columna el formato de texto, y escríbalo otra vez.',
  'Is a formula, not its value. Save the file with values.':
    'Es una fórmula, no su valor. Guarde el archivo con valores.',
  'Has characters that were damaged when the file was made ({}).':
    'Tiene caracteres que se dañaron al crear el archivo ({}).',
  'Is {}, which has no letter and no digit.': 'Es {}, que no tiene ni letras ni dígitos.',
  'The point may be that of thousands: write {}, or {}.':
    'El punto puede ser el de los miles: escriba {}, o {}.',
  'Starts with an apostrophe, which spreadsheets hide. Remove it.':
    'Empieza con un apóstrofo, que las hojas de cálculo ocultan. Quítelo.',
  'Must be a last name, a comma and a first name, such as REYES, ANA. Give a company a column for its name.':
    'Debe ser un apellido, una coma y un nombre, como REYES, ANA. Dé a una empresa una columna para su nombre.',
  'Is before {}, when the National Flood Insurance Program began.':
    'Es anterior a {}, cuando empezó el Programa Nacional del Seguro de Inundación.',
  'Is in the future.': 'Está en el futuro.',
  'Another claim has this external_id, or this claim was sent with other content (fields that differ: {}). It stays as it is.':
    'Otra reclamación tiene este external_id, o esta se envió con otro contenido (campos que difieren: {}). Queda como está.',
  'The claim with this external_id exists, and has nothing here.':
    'La reclamación con este external_id existe, y aquí no tiene nada.',
  'The claim with this external_id exists, and has {} here.':
    'La reclamación con este external_id existe, y aquí tiene {}.',
  'Several adjusters have this name: {}. Give the SVCID of one.':
    'Varios ajustadores tienen este nombre: {}. Dé el SVCID de uno.',

  '{} is not a field of a claim.': '{} no es un campo de una reclamación.',
  'The column {} has the field {} already.': 'La columna {} ya tiene el campo {}.',
  'No column has the required field {}. Map one to it, or give a value for all rows.':
    'Ninguna columna tiene el campo obligatorio {}. Asígnele una, o dé un valor para todas las filas.',

  'The row has {} cells, the header {}.': 'La fila tiene {} celdas, el encabezado {}.',
  'Row {} has the same external_id and other content.':
    'La fila {} tiene el mismo external_id y otro contenido.',
  'Row {} has the same claim_number and another external_id.':
    'La fila {} tiene el mismo claim_number y otro external_id.',
  'In this column the month may be first or second: choose month first (mdy) or day first (dmy), or write {}-MM-DD.':
    'En esta columna el mes puede ir primero o segundo: elija primero el mes (mdy) o primero el día (dmy), o escriba {}-MM-DD.',
  'Is not a date with the month first, as in this column.':
    'No es una fecha con el mes primero, como en esta columna.',
  'Is not a date with the day first, as in this column.':
    'No es una fecha con el día primero, como en esta columna.',

  'This field is required: {}.': 'Este campo es obligatorio: {}.',
  'This field is required with {}. Send {}.': 'Este campo es obligatorio con {}. Envíe {}.',
  'A name is required. Send {}.': 'Falta un nombre. Envíe {}.',
  'first_name and last_name, or company_name, or all three':
    'first_name y last_name, o company_name, o los tres',
  'Contact details are required. Send phone or email, or both.':
    'Faltan datos de contacto. Envíe phone o email, o ambos.',
  'Must be {}; {}': 'Debe ser {}; {}',
  'Must be {}.': 'Debe ser {}.',
  'Must have at least one of {}.': 'Debe tener al menos un plazo ({}).',
  'Rules {} and {} are for the same claims: make them one.':
    'Las reglas {} y {} son para las mismas reclamaciones: haga de ellas una sola.',
  'Must contain at least one visible character.': 'Debe contener al menos un carácter visible.',
  'Must contain at least one digit (0-9).': 'Debe contener al menos un dígito (0-9).',
  'Must not start or end with whitespace or contain a line break.':
    'No debe empezar ni terminar con espacios, ni contener un salto de línea.',
  'Must not contain U+0000 or an unpaired surrogate.': 'No debe contener U+0000 ni un sustituto suelto.',
  'Must not contain invisible characters, such as {} here.':
    'No debe contener caracteres invisibles, como {} aquí.',
  'a number, such as 250000 or 1234.56': 'un número, como 250000 o 1234.56',
  'an integer from {} to {}': 'un número entero de {} a {}',
  'an amount in US dollars from {} to {} with at most two decimals':
    'un importe en dólares de EE. UU. de {} a {} con dos decimales como máximo',
  'a fraction from {} to {}, such as 0.07 for 7%': 'una fracción de {} a {}, como 0.07 para 7 %',
  'a valid calendar date (YYYY-MM-DD)': 'una fecha válida (AAAA-MM-DD)',
  'a time from 00:00 to 23:59 (HH:MM)': 'una hora de 00:00 a 23:59 (HH:MM)',
  'a ZIP code of five digits, or ZIP+4 such as 33901-1234':
    'un código postal de cinco dígitos, o ZIP+4 como 33901-1234',
  'an email address: one @ with text on both sides and no whitespace':
    'un correo electrónico: un @ con texto a ambos lados y sin espacios',
  'a URL that starts with https://, without whitespace': 'una URL que empieza con https://, sin espacios',
  'a string of exactly {} digits': 'un texto de exactamente {} dígitos',
  'an uppercase two-letter USPS code of {}': 'un código de USPS de dos letras mayúsculas de {}',
  'a state, DC, AS, GU, MP, PR or VI': 'un estado, DC, AS, GU, MP, PR o VI',
  'a state, DC, a territory, a freely associated state, AA, AE or AP':
    'un estado, DC, un territorio, un estado libre asociado, AA, AE o AP',
  'one of the 72 flood zones, in uppercase without leading zeros':
    'una de las 72 zonas de inundación, en mayúsculas y sin ceros iniciales',
  'one of {}': 'uno de {}',
  '{} of {} to {} characters': '{} de {} a {} caracteres',
  'a string': 'un texto',
  'a UUID': 'un UUID',
  'a phone number': 'un número de teléfono',
  'an email address': 'un correo electrónico',
  'an object': 'un objeto',
  'did you mean {}?': '¿quiso decir {}?',
  'see "Flood zones" in the documentation.': 'vea "Flood zones" en la documentación.',
  'ZIP+4 has a hyphen after the fifth digit.': 'ZIP+4 lleva un guion después del quinto dígito.',
  'write the first zero if the code begins with one.': 'escriba el primer cero si el código empieza con uno.',

  'The policy would expire on {}, before it takes effect on {}.':
    'La póliza vencería el {}, antes de entrar en vigor el {}.',
  '{}. For a residential manufactured home, send residential_manufactured_home with main_dwelling.':
    '{}. Para una vivienda prefabricada residencial, envíe residential_manufactured_home con main_dwelling.',
  '{} does not match this occupancy: {} ({}).': '{} no corresponde a esta ocupación: {} ({}).',
  '{} does not match this occupancy: {} ({})': '{} no corresponde a esta ocupación: {} ({})',
  'no occupancy_type was sent, so the building type must be a residential one':
    'no se envió occupancy_type, así que el tipo de edificio debe ser residencial',
  'occupancy_type {} requires a residential building type':
    'occupancy_type {} requiere un tipo de edificio residencial',
  'occupancy_type {} requires a non-residential building type':
    'occupancy_type {} requiere un tipo de edificio no residencial',

  'The URL must be an address that starts with {}, of at most {} characters.':
    'La URL debe ser una dirección que empieza con {}, de {} caracteres como máximo.',
  'The URL must start with {}.': 'La URL debe empezar con {}.',
  'https://, or http:// on this machine': 'https://, o http:// en esta máquina',
  'The URL must have no user name, password or fragment.':
    'La URL no debe tener usuario, contraseña ni fragmento.',
  'The URL must lead to a public address; {} is on a private network or on this machine.':
    'La URL debe llevar a una dirección pública; {} está en una red privada o en esta máquina.',

  'Retries have the same Idempotency-Key': 'Los reintentos llevan la misma Idempotency-Key',
  'Derive the Idempotency-Key from your own id, store it before the first attempt, and send every retry with the same key and the same body.':
    'Derive la Idempotency-Key de su propio id, guárdela antes del primer intento, y envíe cada reintento con la misma clave y el mismo contenido.',
  'Simulate the fault dropped or internal_error while your system sends or offers a claim.':
    'Simule el fallo dropped o internal_error mientras su sistema envía u ofrece una reclamación.',
  'Every write that failed is sent again': 'Todo envío fallido se repite',
  'Keep a write in your queue until it gets a 2xx, or a 4xx other than 408, 425 and 429, also over a restart.':
    'Guarde un envío en su cola hasta que reciba 2xx, o 4xx distinto de 408, 425 y 429, también tras un reinicio.',
  'Simulate the fault service_unavailable while your system sends or offers a claim.':
    'Simule el fallo service_unavailable mientras su sistema envía u ofrece una reclamación.',
  'No claim is sent twice': 'Ninguna reclamación se envía dos veces',
  'Record a claim as sent on 201 and on duplicate_claim, which names the existing claim, and never send it under another Idempotency-Key.':
    'Anote una reclamación como enviada con 201 y con duplicate_claim, que nombra la existente, y nunca la envíe con otra Idempotency-Key.',
  'Simulate the fault dropped while your system sends a claim.':
    'Simule el fallo dropped mientras su sistema envía una reclamación.',
  'Retry-After is respected': 'Se respeta Retry-After',
  'Pause all requests with the key for the seconds in Retry-After.':
    'Detenga todas las solicitudes con la clave durante los segundos de Retry-After.',
  'Simulate the fault rate_limited.': 'Simule el fallo rate_limited.',
  'Retries back off exponentially': 'Los reintentos se espacian',
  'Double the wait after each failure, up to 30 seconds, and add jitter.':
    'Duplique la espera después de cada fallo, hasta 30 segundos, y añada una parte al azar.',
  'Simulate 6 times the fault internal_error while your system sends one request at a time.':
    'Simule 6 veces el fallo internal_error mientras su sistema envía una solicitud a la vez.',
  'Polls follow next_cursor to the last page': 'Las listas se leen hasta el final',
  'Request the next page with next_cursor and the same filters, until next_cursor is null.':
    'Pida la página siguiente con next_cursor y los mismos filtros, hasta que next_cursor sea null.',
  'Simulate the fault short_page while two claims have changed and your system polls.':
    'Simule el fallo short_page cuando dos reclamaciones cambiaron y su sistema consulta.',
  'Polls leave no gap': 'Las consultas no dejan huecos',
  'Poll with updated_since set to the latest updated_at that you have processed, minus one minute. Never use your own clock.':
    'Consulte con updated_since igual al último updated_at que procesó, menos un minuto. Nunca use su propio reloj.',
  'Poll at least twice with updated_since.': 'Consulte al menos dos veces con updated_since.',
  'Polls overlap by about a minute': 'Las consultas se solapan alrededor de un minuto',
  'Set updated_since to the latest updated_at that you have processed, minus one minute, whatever your own clock shows.':
    'Ponga en updated_since el último updated_at que procesó, menos un minuto, sin importar su propio reloj.',
  'Poll at least twice with updated_since after claims have changed.':
    'Consulte al menos dos veces con updated_since después de que cambien reclamaciones.',
  'Rejected requests are not repeated': 'Las solicitudes rechazadas no se repiten',
  'After a 4xx other than 408, 425 and 429, correct the request or hand it to a person, and never send it again unchanged.':
    'Después de 4xx distinto de 408, 425 y 429, corrija la solicitud o désela a una persona, y nunca la envíe otra vez sin cambios.',
  'Send claims.': 'Envíe reclamaciones.',
  'Every outcome is read': 'Se lee cada resultado',
  'Poll GET /v1/claims every one to five minutes with updated_since, and without other filters.':
    'Consulte GET /v1/claims cada uno a cinco minutos con updated_since y sin otros filtros.',
  'Let a test account accept or reject a claim.':
    'Que una cuenta de prueba acepte o rechace una reclamación.',
  'A second outcome of a claim is processed': 'Se procesa un segundo resultado de una reclamación',
  'Skip a claim only if you have processed the same id with the same updated_at; keep following claims that already had an outcome.':
    'Omita una reclamación solo si ya procesó el mismo id con el mismo updated_at; siga las que ya tuvieron un resultado.',
  'Offer a rejected claim again, and let a test account answer.':
    'Ofrezca otra vez una reclamación rechazada, y que una cuenta de prueba responda.',
  'Unknown values are tolerated': 'Los valores desconocidos se aceptan',
  'Ignore unknown fields; treat an unknown status as "no outcome yet", process the rest of the page, and do not send the value back.':
    'Ignore campos desconocidos; trate un status desconocido como «aún sin resultado», procese el resto de la página, y no devuelva el valor.',
  'Simulate the fault unknown_value while claims are pending and your system polls.':
    'Simule el fallo unknown_value mientras hay reclamaciones pendientes y su sistema consulta.',

  'A write that failed was sent again with another Idempotency-Key.':
    'Un envío fallido se repitió con otra Idempotency-Key.',
  'An Idempotency-Key was sent again with another request.':
    'Una Idempotency-Key se envió otra vez con otra solicitud.',
  'A write had no valid Idempotency-Key.': 'Un envío no tenía una Idempotency-Key válida.',
  'A write that failed was never sent again, so a claim or an offer is lost.':
    'Un envío fallido nunca se repitió: se perdió una reclamación o una oferta.',
  'A claim was sent that exists already.': 'Se envió una reclamación que ya existe.',
  'Retry-After was {} s; the next request came after {} s.':
    'Retry-After era {} s; la solicitud siguiente llegó a los {} s.',
  'Retry-After was {} s; the key sent {} other requests before that time had passed.':
    'Retry-After era {} s; la clave envió {} solicitudes más antes de que pasaran.',
  'A request that failed was sent {} more times, {} ms apart on average, without back-off.':
    'Una solicitud fallida se envió {} veces más, cada {} ms en promedio, sin espaciarlas.',
  'A page had a next_cursor, and the next page was never requested.':
    'Una página tenía next_cursor, y la siguiente nunca se pidió.',
  'The next page was requested and rejected with {}: a cursor needs the same filters as the first page.':
    'La página siguiente se pidió y se rechazó con {}: un cursor necesita los mismos filtros que la primera página.',
  'updated_since moved on although nothing new was read: it comes from a clock.':
    'updated_since avanzó aunque no se leyó nada nuevo: viene de un reloj.',
  'updated_since was {}, later than the latest updated_at that was read, {}.':
    'updated_since era {}, posterior al último updated_at que se leyó, {}.',
  'updated_since was {} s before the latest updated_at that was read.':
    'updated_since era {} s anterior al último updated_at que se leyó.',
  'A request that was rejected with {} was sent {} more times.':
    'Una solicitud rechazada con {} se envió {} veces más.',
  'At most {} {} keys of the firm work at a time. Revoke one that is not used, or have the operator raise the limit.':
    'Como máximo sirven {} claves {} de la empresa a la vez. Revoque una que no se use, o pida al operador que suba el límite.',
  'At most {} replaced {} keys of the firm work at a time. Revoke one of them, or replace this key without an overlap.':
    'Como máximo sirven {} claves {} reemplazadas de la empresa a la vez. Revoque una, o reemplace esta sin solape.',
  'No poll covers the changes between {} and {}, the next updated_since.':
    'Ninguna consulta abarca los cambios entre {} y {}, el updated_since siguiente.',
  'The claim became {} at {}; no unfiltered poll and no read of the claim since has it.':
    'La reclamación pasó a {} el {}; desde entonces no lo tiene ninguna consulta sin filtros ni lectura de la reclamación.',
  'The claim was offered again and became {} at {}; no unfiltered poll and no read of the claim since has it.':
    'La reclamación se ofreció otra vez y pasó a {} el {}; desde entonces no lo tiene ninguna consulta sin filtros ni lectura de la reclamación.',
  'The claim was offered again and became {} at {}. That was read, and nothing followed.':
    'La reclamación se ofreció otra vez y pasó a {} el {}. Eso se leyó, y no siguió nada.',
  'The unknown value was sent back.': 'El valor desconocido se devolvió.',
  'A write succeeded, with an unknown value in the response, and was sent again.':
    'Un envío tuvo éxito, con un valor desconocido en la respuesta, y se repitió.',
  'A page had an unknown value, and no successful poll followed.':
    'Una página tenía un valor desconocido, y no siguió ninguna consulta con éxito.',
  'A page had an unknown value, and the next poll started at the same updated_since, as if the page had not been processed.':
    'Una página tenía un valor desconocido, y la consulta siguiente empezó en el mismo updated_since, como si la página no se hubiera procesado.',

  'The claim has changed since it was read: {} offered it to {}.{}':
    'La reclamación cambió desde que se leyó: {} la ofreció a {}.{}',
  'The claim has changed since it was read: {} offered it to {}.':
    'La reclamación cambió desde que se leyó: {} la ofreció a {}.',
  ' The offer was accepted.': ' La oferta fue aceptada.',
  ' The offer was rejected.': ' La oferta fue rechazada.',
  ' {} withdrew the offer.': ' {} retiró la oferta.',
  ' The adjuster left, or may not accept claims now.':
    ' El ajustador se fue, o ahora no puede aceptar reclamaciones.',
  'key {}': 'la clave {}',
  'your firm': 'su firma',
  'a person who was removed': 'una persona que ya no está',

  'the responses to the next {} writes are lost': 'las respuestas a las próximas {} escrituras se pierden',
  'the next {} requests are rate limited': 'las próximas {} solicitudes se limitan',
  'the next {} requests fail with 500': 'las próximas {} solicitudes fallan con 500',
  'the next {} requests get 503': 'las próximas {} solicitudes reciben 503',
  'the next {} responses have an unknown status': 'las próximas {} respuestas tienen un status desconocido',
  'the next {} pages have one claim each': 'las próximas {} páginas tienen una reclamación cada una',
  'the next response is slow': 'la próxima respuesta es lenta',
  '_accepts pauses assignments': '_accepts pausa las ofertas',
  '_accepts resumes': '_accepts las reanuda',
  '_manual leaves the firm': '_manual deja la firma',
  '_manual is back': '_manual está de vuelta',
  '_manual {} {}': '_manual {} {}',
  accepts: 'acepta',
  rejects: 'rechaza',
};

const TEMPLATES = Object.entries(TEXTS).map(([english, spanish]) => ({
  pattern: new RegExp(`^${english.replace(/[.?*+^$()|[\]\\/]/g, '\\$&').replaceAll('{}', '(.+?)')}$`, 's'),
  parts: spanish.split('{}'),
}));

/** A text of the service; as it is where it is not known. */
export function inSpanish(text: string): string {
  for (const { pattern, parts } of TEMPLATES) {
    const values = pattern.exec(text)?.slice(1);
    if (values !== undefined) return parts.map((part, n) => part + inSpanish(values[n] ?? '')).join('');
  }
  return text;
}

type Parts<Action> = Action extends `${infer Of}.${infer Act}` ? Of | Act : Action;
/** The parts of the actions of the audit trail. */
const ACTIONS: Readonly<Record<string, string>> = {
  ...{ accept: 'aceptar', add: 'agregar', adjuster: 'Ajustador', adjusters: 'Ajustadores', apply: 'aplicar' },
  ...{ audit: 'Registro', availability: 'Disponibilidad', backup: 'copiar', carrier: 'Aseguradora' },
  ...{ change: 'cambiar', check: 'comprobar', claim: 'Reclamación', claims: 'Reclamaciones' },
  ...{ clocks: 'cambiar plazos' },
  ...{
    clear: 'quitar',
    close: 'cerrar',
    confirm: 'confirmar',
    create: 'crear',
    credentials: 'Credenciales',
    database: 'Base de datos',
  },
  ...{ deadline: 'Plazo', decline: 'rechazar', disable: 'desactivar', email: 'Correo', enable: 'activar' },
  ...{ distribute: 'distribuir', migrate: 'actualizar el esquema', restore: 'restaurar' },
  ...{ encryption: 'Cifrado', end: 'terminar', erase: 'borrar', export: 'exportar', feed: 'Cambios' },
  ...{ faults: 'Fallos simulados', firm: 'Firma', hold: 'retener', import: 'importar', invite: 'invitar' },
  ...{ imports: 'Importaciones', invitation: 'Invitación', key: 'Clave', keys: 'Claves', member: 'Miembro' },
  ...{ leave: 'dejar la firma', limits: 'cambiar límites', move: 'trasladar', offer: 'ofrecer' },
  ...{ offer_wait: 'cambiar espera', open: 'abrir', passkey: 'Llave de acceso', pause: 'pausar' },
  ...{ permission: 'cambiar permiso', plan: 'cambiar plan', profile: 'Perfil', purge: 'eliminar lo vencido' },
  ...{ push: 'notificar', push_withdrawn: 'notificar retiro', read: 'leer', readiness: 'Preparación' },
  ...{ reject: 'rechazar', release: 'liberar', remove: 'quitar', rename: 'cambiar nombre' },
  ...{ replay: 'enviar de nuevo', report: 'Informe', requests: 'Solicitudes', restamp: 'entregar de nuevo' },
  ...{ resume: 'reanudar', revoke: 'revocar', role: 'cambiar función', roll: 'reemplazar', rotate: 'rotar' },
  ...{ send: 'enviar', session: 'Sesión', sessions: 'Sesiones', set: 'simular', settings: 'cambiar ajustes' },
  ...{ sharing: 'cambiar lo compartido' },
  ...{ sign_in: 'Iniciar sesión', staff: 'Persona', test: 'probar', verify: 'verificar' },
  ...{ webhook: 'Aviso a sistemas', webhooks: 'Avisos a sistemas', withdraw: 'retirar', work: 'anotar' },
} satisfies Record<Parts<(typeof AUDIT_ACTIONS)[number]>, string>;

/** An action of the audit trail. */
export const actionInSpanish = (name: string): string =>
  name
    .split('.')
    .map((part) => ACTIONS[part] ?? part)
    .join(': ');
