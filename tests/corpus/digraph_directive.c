// expect: true --property unreach-call
// `%:` begins a directive as `#` does.
%:define LAST 2
extern void reach_error(void);

int main(void) <%
    int a<:3:> = <%1, 2, 3%>;
    if (a<:LAST:> != 3)
        reach_error();
    return 0;
%>
