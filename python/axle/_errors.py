"""How everything here fails."""


class AxleError(Exception):
    """An error of the library.

    code     its name, "INVALID_ARGUMENT", as absl and PJRT have it
    message  for people
    file, line, column
             where the mistake is, if that is known: in the text of a program, or in the source file
             that an instruction names (column 0); otherwise "", 0, 0
    """

    def __init__(self, code, message, file="", line=0, column=0):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.column = column

    def __reduce__(self):
        return AxleError, (self.code, self.message, self.file, self.line, self.column)
